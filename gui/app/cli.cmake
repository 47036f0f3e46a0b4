# The command line, included by the CMakeLists.txt of this folder.
ringside_library(gui_app_cli
  SOURCES
    cli_data.cpp cli_doctor.cpp cli_export.cpp cli_json.cpp cli_list.cpp cli_live.cpp cli_presets.cpp
    cli_report.cpp cli_resume.cpp cli_run.cpp cli_show.cpp
    cli_stop.cpp cli_tail.cpp cli_terminal.cpp cli_watch.cpp commands.cpp interrupts.cpp report_print.cpp
  DEPENDS gui_app_alerts gui_app_export gui_app_figures gui_app_resumable gui_launch gui_view CLI11::CLI11 nlohmann_json::nlohmann_json
  PRIVATE_DEPENDS gui_analysis)
