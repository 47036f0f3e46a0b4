# Included by the CMakeLists.txt of this folder.
ringside_test(gui_view_report_test
  SOURCES report_page_test.cpp report_test.cpp
  DEPENDS gui_view gui_launch ringside_test_support)
