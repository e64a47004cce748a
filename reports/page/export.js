// node export.js: every figure of data.json, which lies beside this file with the chart library and
// figures.js, as one JSON object of SVG texts on standard output.
'use strict';

const echarts = require('./echarts.min.js');
const figures = require('./figures.js');
const data = require('./data.json');

const svgs = {};
for (const figure of figures.list(data, echarts)) {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 960, height: figure.height });
  chart.setOption(figure.option(figures.light));
  svgs[figure.id] = chart.renderToSVGString();
  chart.dispose();
}
process.stdout.write(JSON.stringify(svgs));
