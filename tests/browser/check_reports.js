// node check_reports.js BROWSER WORK [pictures]: opens the reports that report_in_browser.sh made in WORK, uses them and
// says what is wrong; with "pictures", leaves some to look at in WORK/pictures.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { Browser } = require('./browser.js');
const { Use } = require('./use_report.js');

const single = ['answers', 'peak', 'unit-roofline', 'flop-byte', 'gantt-0', 'memory-0', 'units-idle', 'stalls', 'storage'];
const two = ['answers', 'peak', 'unit-roofline', 'flop-byte', 'gantt-0', 'gantt-1', 'memory-0', 'memory-1', 'units-idle', 'stalls', 'storage'];
const barTip = (id, value, what) => async (use, page) => {
  const tip = await use.hover(id, await page.value(value), 0);
  use.check(what.test(tip), `${id}: hovering says "${tip}"`);
};
// Page, its figures, and what to try in it beside looking.
const pages = [
  ['one', single, [(use) => use.timeline(0)]],
  ['gpus', ['answers', 'peak', 'effects', ...two.slice(2)], [(use) => use.timeline(0), (use) => use.timeline(1),
    barTip('effects', 'window.warplineReport.data.whatif.effects[0].speedup / 2 * 100 - 50', /speed-up/)]],
  ['changed', two, [(use) => use.timeline(1)]],
  ['long', single, [(use) => use.timeline(0)]],
  ['whatif', ['whatif', 'effects'], [barTip('whatif', 'window.warplineReport.data.whatif.rows[0].before / 2', /b200/)]],
  ['sweep', ['sweep'], [async (use, page) => {
    const p = await page.value('window.warplineReport.data.sweep.series[0].points[1]');
    const tip = await use.hover('sweep', p.x, p.tflops);
    use.check(tip.includes('TFLOP/s') && tip.includes('bound by'), `sweep: hovering says "${tip}"`);
  }]],
  ['compared', ['errors', 'scatter', 'residuals'], [barTip('errors', '100 * window.warplineReport.data.comparison.groups[0].mean / 2', /mean size/)]],
  // Names that would be code if any of them were taken for it.
  ['hostile', single, [(use) => use.timeline(0)]],
  ['hostile-sweep', ['sweep'], [async (use, page) => {
    const p = await page.value('window.warplineReport.data.sweep.series[0].points[1]');
    const tip = await use.hover('sweep', p.x, p.tflops);
    use.check(tip.includes('<img'), `hostile-sweep: hovering says "${tip}"`);
  }]],
];

async function pictures(page, work, name) {
  const to = path.join(work, 'pictures');
  fs.mkdirSync(to, { recursive: true });
  for (const [kind, look] of [['light', {}], ['dark', { dark: true }], ['phone', { width: 390, height: 844, phone: true }]]) {
    await page.look(look);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { cssContentSize: size } = await page.send('Page.getLayoutMetrics');
    const tall = 1500;
    for (let y = 0, i = 0; y < size.height; y += tall, i += 1) {
      const clip = { x: 0, y, width: size.width, height: Math.min(tall, size.height - y), scale: kind === 'phone' ? 0.5 : 1 };
      fs.writeFileSync(path.join(to, `${name}-${kind}-${i}.png`), await page.picture({ clip }));
    }
  }
}

let running;
async function main() {
  const [program, work, more] = process.argv.slice(2);
  const browser = new Browser(program, path.join(work, 'profile'));
  running = browser;
  let failed = 0;
  for (const [name, figures, tries] of pages) {
    const page = await browser.page();
    const url = `file://${path.resolve(work, name)}.html`;
    await page.look();
    await page.open(url);
    const use = new Use(page);
    await use.figures(figures);
    for (const attempt of tries) await attempt(use, page);
    const pdf = await use.looks();
    use.check(await page.value('document.querySelectorAll("table").length') > 0, 'no tables');
    use.check(await page.value('document.querySelector("footer").innerText').then((text) => text.includes('warpline ')), 'no footer');
    use.check(await page.value('window.hostile === undefined'), 'a name was run as code');
    const fetched = page.requests.filter((request) => request !== url && !request.startsWith('data:'));
    use.check(fetched.length === 0, `fetched ${fetched}`);
    const wrong = [...use.wrong, ...page.wrong];
    console.log(`${name}: ${figures.length} figures, ${wrong.length ? `WRONG\n  ${wrong.join('\n  ')}` : 'right'}`);
    failed += wrong.length ? 1 : 0;
    if (more === 'pictures') {
      await pictures(page, work, name);
      fs.writeFileSync(path.join(work, 'pictures', `${name}.pdf`), pdf);
    }
    await page.close();
  }
  await browser.close();
  return failed ? 1 : 0;
}

main().then((code) => process.exit(code), (error) => {
  console.error(error);
  if (running) running.process.kill('SIGKILL');
  process.exit(1);
});
