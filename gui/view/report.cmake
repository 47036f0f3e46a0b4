# What `ringside report` tells, as data; included by the CMakeLists.txt of this folder.
