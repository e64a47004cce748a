// Uses a page as a person would and says what is wrong with it: everything here goes through real input events.
'use strict';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Runs in the page: where a figure's chart is, and what is in it.
const figureState = (id) => `(() => {
  const place = document.querySelector('[data-figure="${id}"]'), chart = window.warplineReport.charts['${id}'];
  const box = place.getBoundingClientRect();
  return { chart: Boolean(chart), drawn: place.querySelectorAll('svg path, svg text').length, width: box.width, height: box.height,
    title: place.parentElement.querySelector('h3').textContent };
})()`;
const zoomOf = (id) => `(() => { const z = window.warplineReport.charts['${id}'].getOption().dataZoom[0]; return [z.startValue, z.endValue]; })()`;
// Centre of item \`row\` of the first series, in the window, after the figure was scrolled there.
const spot = (id, x, y) => `(() => {
  const place = document.querySelector('[data-figure="${id}"]');
  place.scrollIntoView({ block: 'center' });
  const box = place.getBoundingClientRect(), at = window.warplineReport.charts['${id}'].convertToPixel({ seriesIndex: 0 }, [${JSON.stringify(x)}, ${JSON.stringify(y)}]);
  return [box.left + at[0], box.top + at[1]];
})()`;
const tipOf = (id) => `[...document.querySelectorAll('[data-figure="${id}"] > div')].map((d) => d.innerText).join('|')`;

class Use {
  constructor(page) { Object.assign(this, { page, wrong: [] }); }
  check(holds, what) { if (!holds) this.wrong.push(what); }

  // What a tooltip over a place of a figure says.
  async hover(id, x, y) {
    const [left, top] = await this.page.value(spot(id, x, y));
    await this.page.mouse('mouseMoved', left - 3, top);
    await this.page.mouse('mouseMoved', left, top);
    for (let i = 0; i < 20; i += 1) {
      await pause(50);
      const text = await this.page.value(tipOf(id));
      if (text.trim()) return text;
    }
    return '';
  }

  async figures(ids) {
    const there = await this.page.value(`[...document.querySelectorAll('[data-figure]')].map((p) => p.dataset.figure)`);
    this.check(JSON.stringify(there) === JSON.stringify(ids), `figures ${there}, not ${ids}`);
    for (const id of there) {
      const state = await this.page.value(figureState(id));
      this.check(state.chart, `${id}: no chart`);
      this.check(state.drawn > 10, `${id}: nothing drawn`);
      this.check(state.width > 100 && state.height > 60, `${id}: no room`);
      this.check(state.title.length > 5, `${id}: no title`);
    }
  }

  // Zooming by keys, buttons, wheel and hand; hovering; and the map of memory that goes along.
  async timeline(index) {
    const id = `gantt-${index}`, page = this.page;
    const gantt = await page.value(`(() => { const g = window.warplineReport.data.predictions[${index}].gantt;
      return { end: g.end, windows: g.windows, slices: g.slices, labels: g.labels, lanes: g.lanes, causes: g.causes }; })()`);
    const width = ([from, to]) => to - from;
    const first = await page.value(zoomOf(id));
    await page.value(`document.querySelector('[data-figure="${id}"]').focus()`);
    await page.press('+', '+');
    const closer = await page.value(zoomOf(id));
    this.check(Math.abs(width(closer) - width(first) / 2) < 2, `${id}: + does not halve ${first}: ${closer}`);
    await page.press('ArrowRight');
    this.check((await page.value(zoomOf(id)))[0] > closer[0], `${id}: the arrow does not move`);
    await page.press('0', '0');
    this.check(width(await page.value(zoomOf(id))) > gantt.end - 2, `${id}: 0 does not show everything`);
    const button = await page.value(`(() => {
      const bar = document.querySelector('[data-figure="${id}"]').previousElementSibling;
      const b = [...bar.querySelectorAll('button')].find((x) => x.textContent === ${JSON.stringify(gantt.windows[1].name)});
      b.scrollIntoView({ block: 'center' });
      const r = b.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()`);
    await page.click(...button);
    const [from, to] = await page.value(zoomOf(id));
    this.check(Math.abs(from - gantt.windows[1].from) < 1 && Math.abs(to - gantt.windows[1].to) < 1, `${id}: the button shows ${from} to ${to}`);
    await this.operation(id, gantt, from, to);
    await this.memory(index, from, to);
    const [x, y] = await page.value(spot(id, (from + to) / 2, 1));
    await page.mouse('mouseWheel', x, y, { deltaX: 0, deltaY: -240, modifiers: 2 });
    await pause(200);
    this.check(width(await page.value(zoomOf(id))) < to - from - 1, `${id}: Ctrl and wheel do not zoom`);
    const before = await page.value(zoomOf(id));
    await page.drag(x, y, -120);
    await pause(200);
    this.check((await page.value(zoomOf(id)))[0] > before[0], `${id}: dragging does not move`);
    this.check(await page.value(`document.querySelectorAll('[data-figure="${id}"] path[stroke="#b30000"]').length`) > 0, `${id}: no critical cycle`);
  }

  // The longest operation and the longest wait in sight say what they are.
  async operation(id, gantt, from, to) {
    const longest = (kind) => gantt.slices.filter((s) => s[2] === kind && s[3] > from && s[4] < to && (kind !== 2 || s[8] >= 0))
      .reduce((a, b) => (a && a[4] - a[3] >= b[4] - b[3] ? a : b), undefined);
    for (const kind of [1, 2]) {
      const slice = longest(kind);
      if (!slice) { this.check(kind === 2, `${id}: nothing runs in the steady steps`); continue; }
      const tip = await this.hover(id, (slice[3] + slice[4]) / 2, slice[0]);
      const wants = [gantt.labels[slice[1]], gantt.lanes[slice[0]].name, `iteration ${slice[5]}`, 'cycles '];
      if (kind === 2) wants.push(`waits for ${gantt.causes[slice[8]]}`);
      for (const want of wants) this.check(tip.includes(want), `${id}: hovering over ${slice} says "${tip}", not "${want}"`);
    }
  }

  async memory(index, from, to) {
    const id = `memory-${index}`;
    const [start] = await this.page.value(zoomOf(id));
    this.check(Math.abs(start - from) < 1, `${id}: shows ${start} beside ${from}`);
    const spans = await this.page.value(`window.warplineReport.data.predictions[${index}].memory.spans`);
    const held = spans.filter((s) => s[2] === 1 && s[3] > from && s[4] < to);
    this.check(held.length > 0, `${id}: nothing is held in the steady steps`);
    if (!held.length) return;
    const span = held.reduce((a, b) => (b[4] - b[3] > a[4] - a[3] ? b : a));
    const tip = await this.hover(id, (span[3] + span[4]) / 2, span[0]);
    this.check(tip.includes('held here') || tip.includes('reads'), `${id}: hovering says "${tip}"`);
  }

  // No room to scroll sideways on a phone, the colours of the dark, everything open on paper.
  async looks() {
    const { page } = this;
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    await page.look({ width: 390, height: 844, phone: true });
    await pause(300);
    this.check(await page.value(overflow) <= 0, `the page is ${await page.value(overflow)} pixels wider than a phone`);
    await page.look({ dark: true });
    await pause(300);
    this.check(await page.value('getComputedStyle(document.body).backgroundColor') === 'rgb(20, 24, 29)', 'not dark in the dark');
    this.check(await page.value(`document.querySelector('[data-figure] svg rect').getAttribute('fill').toLowerCase()`) === '#14181d', 'figures are not dark in the dark');
    await page.look();
    await pause(300);
    const pdf = await page.pdf();
    this.check(pdf.length > 20000 && pdf.subarray(0, 5).toString() === '%PDF-', 'nothing printed');
    return pdf;
  }
}

module.exports = { Use };
