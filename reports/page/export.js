// node export.js: every figure of data.json, which lies beside this file with the chart library and
// figures.js, as one JSON object of SVG texts on standard output.
'use strict';

const echarts = require('./echarts.min.js');
const figures = require('./figures.js');
const data = require('./data.json');

// There is no font to measure here: text as wide as it can be in a common one.
const width = (text, font) => 0.6 * Number((/([\d.]+)px/.exec(font) || [0, 12])[1]) * text.length;
echarts.setPlatformAPI({ measureText: (text, font) => ({ width: width(text, font || '12px sans-serif') }) });

const svgs = {};
for (const figure of figures.list(data, echarts, { width: 960, titled: true, paper: true })) {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 960, height: figure.height });
  chart.setOption(figure.option(figures.light));
  svgs[figure.id] = chart.renderToSVGString();
  chart.dispose();
}
process.stdout.write(JSON.stringify(svgs));
