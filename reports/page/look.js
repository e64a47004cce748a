// Colours, numbers and the parts that every figure has. `theme` gives what depends on light or dark and on the
// room: width in pixels, whether the figure carries its own title, whether it is for paper.
'use strict';

const warplineLook = (() => {
  // Okabe and Ito's colours, told apart with any colour vision; then the same again paler, and paler.
  const palette = ['#0072B2', '#E69F00', '#009E73', '#CC79A7', '#56B4E9', '#D55E00', '#F0E442'];
  const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const paler = (colour, share) => '#' + channels(colour)
    .map((value) => Math.round(value + (255 - value) * share).toString(16).padStart(2, '0')).join('');
  const colourOf = (index) => paler(palette[index % palette.length], [0, 0.5, 0.75][Math.min(2, Math.floor(index / palette.length))]);
  // Black or white, whichever is read better on a colour: by relative luminance, as WCAG 2 defines it.
  const luminance = (colour) => channels(colour).map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ink = (colour) => (luminance(colour) > 0.179 ? '#000000' : '#ffffff');

  const light = { text: '#1b1f24', dim: '#57606a', line: '#d8dee4', wait: '#dfe3e8', rest: '#e1e5ea', critical: '#b30000', back: '#ffffff', slide: '#8aa4c8' };
  const dark = { text: '#e6edf3', dim: '#9aa5b1', line: '#343b44', wait: '#2f363e', rest: '#3a424b', critical: '#ff7b72', back: '#14181d', slide: '#6d87ab' };

  const escapeHtml = (text) => String(text).replace(/[&<>"']/g,
    (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }[c]));
  const number = (value, digits = 1) => value.toLocaleString('en-US', { maximumFractionDigits: digits });
  const percent = (share) => number(100 * share) + ' %';
  const narrow = (theme) => theme.width < 560;

  // Lines that a legend takes, from the width of its texts in a common font.
  function legendLines(names, theme) {
    const room = theme.width - 20;
    let lines = 1, at = 0;
    for (const name of names) {
      const item = 34 + 6.4 * String(name).length;
      if (at > 0 && at + item > room) { lines += 1; at = 0; }
      at += item;
    }
    return lines;
  }
  // Pixels above the drawing: the title, where the figure has its own, and the legend of `names`.
  const headRoom = (names, theme) => (theme.titled ? 26 : 0) + (names.length ? 22 * legendLines(names, theme) + 8 : 8);

  // What every figure has. Tooltips are HTML made of escaped text. `names` are the legend's; none: no legend.
  function base(theme, title, names = []) {
    return {
      color: palette,
      backgroundColor: theme.back,
      textStyle: { color: theme.text, fontFamily: 'system-ui, sans-serif' },
      title: { show: Boolean(theme.titled), text: title, left: 0, top: 0, textStyle: { color: theme.text, fontSize: 14 } },
      aria: { enabled: true, decal: { show: true, decals: [{ symbol: 'none' }] } },
      animation: false,
      legend: { show: names.length > 0, data: names, top: theme.titled ? 24 : 0, left: 0, itemWidth: 16, itemHeight: 11, itemGap: 10,
        textStyle: { color: theme.text } },
      tooltip: { confine: true, backgroundColor: theme.back, borderColor: theme.line, textStyle: { color: theme.text, fontSize: 13 } },
      grid: { left: 8, right: narrow(theme) ? 12 : 24, top: headRoom(names, theme), bottom: 34, containLabel: true },
    };
  }
  const axis = (theme, more) => {
    const all = Object.assign({ nameLocation: 'middle', nameGap: 26, splitNumber: narrow(theme) ? 3 : 5,
      axisLine: { lineStyle: { color: theme.line } }, axisTick: { show: false },
      splitLine: { lineStyle: { color: theme.line } }, nameTextStyle: { color: theme.dim } }, more);
    all.axisLabel = Object.assign({ color: theme.dim, hideOverlap: true }, more.axisLabel);
    return all;
  };
  // Names of rows down the left side.
  const rowAxis = (theme, names, more = {}) => axis(theme, Object.assign({ type: 'category', data: names, inverse: true }, more,
    { axisLabel: Object.assign({ color: theme.text, interval: 0, hideOverlap: false, fontSize: narrow(theme) ? 10 : 12, lineHeight: narrow(theme) ? 11 : 14,
      width: narrow(theme) ? 96 : 280, overflow: narrow(theme) ? 'break' : 'truncate' }, more.axisLabel) }));
  // Thin lines across a colour, for what has another's colour already; `round` 0 has none.
  const pattern = (round) => (round === 0 ? { symbol: 'none' }
    : { symbol: 'rect', symbolSize: 1, dashArrayX: [1, 0], dashArrayY: [1.5, 5], rotation: round % 2 ? -Math.PI / 4 : Math.PI / 4,
      color: 'rgba(0, 0, 0, 0.35)' });

  // Names of causes and of operations in one colour each through all figures: those that take longest get the
  // palette's first. What is done, and what is left, have their own.
  function ranked(amounts, first) {
    const names = Object.keys(amounts).sort((a, b) => amounts[b] - amounts[a]);
    return Object.fromEntries(names.map((name, i) => [name, i + first]));
  }
  const done = ['busy', 'issuing', 'counted work'], rest = ['other', 'free', 'work finished', 'SMs without work'];
  function coloursOf(data) {
    const causes = {}, operations = {};
    const add = (to, name, amount) => { to[name] = (to[name] || 0) + amount; };
    for (const p of data.predictions) {
      for (const u of p.units) for (const c of u.idle) add(causes, c.cause, c.share);
      for (const r of p.roles) for (const c of r.stalls) add(causes, c.cause, c.share);
      for (const s of p.gantt.slices) if (s[2] < 2) add(operations, p.gantt.labels[s[1]], s[4] - s[3]);
      for (const s of p.memory.spans) if (s[2] === 0) add(operations, p.memory.labels[s[1]], s[4] - s[3]);
    }
    for (const name of [...done, ...rest]) delete causes[name];
    const cause = ranked(causes, 1), operation = ranked(operations, 0);
    return {
      // -1: what is left; 0: what is done.
      part: (name, otherwise) => (rest.includes(name) ? -1 : done.includes(name) ? 0 : name in cause ? cause[name] : otherwise),
      operation: (name) => colourOf(name in operation ? operation[name] : 3 * palette.length - 1),
    };
  }

  return { palette, colourOf, ink, light, dark, escapeHtml, number, percent, narrow, headRoom, base, axis, rowAxis, pattern, coloursOf };
})();
