# cmake -DPAGE=... -DCHARTS=... -DOUTPUT=... -P: writes report_assets() with the texts of the page's files and
# of the chart library (an empty file: none).
function(literal variable)
  set(text "")
  foreach(file ${ARGN})
    file(READ ${file} part)
    string(APPEND text "${part}")
  endforeach()
  # Compilers limit the length of one literal: many are joined.
  string(LENGTH "${text}" length)
  set(result "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 15000 part)
    string(APPEND result "R\"__asset__(${part})__asset__\"\n")
    math(EXPR at "${at} + 15000")
  endwhile()
  if(result STREQUAL "")
    set(result "\"\"")
  endif()
  set(${variable} "${result}" PARENT_SCOPE)
endfunction()
literal(style ${PAGE}/page.css)
# Each uses those before it.
literal(figures ${PAGE}/look.js ${PAGE}/bars.js ${PAGE}/timeline.js ${PAGE}/points.js ${PAGE}/figures.js)
literal(script ${PAGE}/page.js)
literal(exporter ${PAGE}/export.js)
literal(charts ${CHARTS})
file(WRITE ${OUTPUT} "#include \"warpline/reports/report_assets.hpp\"

namespace warpline {
ReportAssets report_assets() {
    return {${style},
            ${figures},
            ${script},
            ${exporter},
            ${charts}};
}
}  // namespace warpline
")
