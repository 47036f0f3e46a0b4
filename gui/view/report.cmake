# What `ringside report` tells, as data; included by the CMakeLists.txt of this folder.
target_sources(gui_view PRIVATE
  markup.cpp report.cpp report_card.cpp report_page.cpp report_published.cpp report_samples.cpp)
