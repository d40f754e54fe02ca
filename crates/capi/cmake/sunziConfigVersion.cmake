# The version of the C library, and whether it is compatible with the one that is asked for: before version 1.0 the
# second number tells of incompatible changes, after that the first.
set(PACKAGE_VERSION "@version@")

if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
endif()

string(FIND "${PACKAGE_FIND_VERSION}." "@interface@." _sunzi_place)
if(_sunzi_place EQUAL 0 AND NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
else()
    set(PACKAGE_VERSION_COMPATIBLE FALSE)
endif()
unset(_sunzi_place)
