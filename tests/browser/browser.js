// Headless Chromium over the pipe of its DevTools protocol: no port, no package.
'use strict';

const { spawn } = require('node:child_process');

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--hide-scrollbars',
  '--disable-background-networking', '--disable-component-update', '--remote-debugging-pipe'];

class Browser {
  // `program` with a profile of its own in `folder`. Every command fails after `patience` milliseconds.
  constructor(program, folder, patience = 240000) {
    this.patience = patience;
    this.waiting = new Map();
    this.listeners = [];
    this.last = 0;
    this.process = spawn(program, [...flags, `--user-data-dir=${folder}`, 'about:blank'],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    this.process.on('error', (error) => this.fail(error));
    this.process.on('exit', () => this.fail(new Error('the browser ended')));
    let rest = Buffer.alloc(0);
    this.process.stdio[4].on('data', (more) => {
      rest = Buffer.concat([rest, more]);
      for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
        this.take(JSON.parse(rest.subarray(0, end).toString('utf8')));
        rest = rest.subarray(end + 1);
      }
    });
  }

  fail(error) {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  take(message) {
    const asked = this.waiting.get(message.id);
    if (!asked) { for (const listener of this.listeners) listener(message); return; }
    this.waiting.delete(message.id);
    if (message.error) asked.reject(new Error(`${asked.method}: ${message.error.message}`));
    else asked.resolve(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.take({ id, error: { message: 'no answer in time' } }), this.patience);
      const done = (act) => (value) => { clearTimeout(timer); act(value); };
      this.waiting.set(id, { method, resolve: done(resolve), reject: done(reject) });
      this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  // A page whose complaints and requests are collected in `wrong` and `requests`.
  async page() {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    this.listeners.push((message) => { if (message.sessionId === sessionId) page.hear(message); });
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page.send(`${domain}.enable`);
    return page;
  }

  async close() {
    const ended = new Promise((resolve) => this.process.on('exit', resolve));
    this.send('Browser.close').catch(() => {});
    const timer = setTimeout(() => this.process.kill('SIGKILL'), 10000);
    await ended;
    clearTimeout(timer);
  }
}

class Page {
  constructor(browser, session, target) {
    Object.assign(this, { browser, session, target, wrong: [], requests: [] });
  }

  send(method, params) { return this.browser.send(method, params, this.session); }

  hear({ method, params }) {
    const text = (args) => args.map((a) => a.value || a.description).join(' ');
    if (method === 'Runtime.exceptionThrown') {
      const { text: what, exception } = params.exceptionDetails;
      this.wrong.push(`exception: ${(exception && exception.description) || what}`);
    } else if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type)) {
      this.wrong.push(`console ${params.type}: ${text(params.args)}`);
    } else if (method === 'Log.entryAdded' && ['error', 'warning'].includes(params.entry.level)) {
      this.wrong.push(`log: ${params.entry.text}`);
    } else if (method === 'Network.requestWillBeSent') {
      this.requests.push(params.request.url);
    } else if (method === 'Page.loadEventFired' && this.loaded) {
      this.loaded();
    }
  }

  async open(url) {
    const loaded = new Promise((resolve) => { this.loaded = resolve; });
    const { errorText } = await this.send('Page.navigate', { url });
    if (errorText) throw new Error(`${url}: ${errorText}`);
    await loaded;
  }

  // The value of an expression, which may be a promise.
  async value(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate',
      { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception.description}`);
    return result.value;
  }

  // What a hand does: coordinates are the window's; modifiers as the protocol counts them (2: Ctrl).
  mouse(type, x, y, more = {}) { return this.send('Input.dispatchMouseEvent', { type, x, y, ...more }); }
  async click(x, y) {
    await this.mouse('mouseMoved', x, y);
    for (const type of ['mousePressed', 'mouseReleased']) await this.mouse(type, x, y, { button: 'left', clickCount: 1 });
  }
  async drag(x, y, dx) {
    await this.mouse('mouseMoved', x, y);
    await this.mouse('mousePressed', x, y, { button: 'left', clickCount: 1 });
    for (let i = 1; i <= 4; i += 1) await this.mouse('mouseMoved', x + (dx * i) / 4, y, { button: 'left', buttons: 1 });
    await this.mouse('mouseReleased', x + dx, y, { button: 'left', clickCount: 1 });
  }
  async press(key, text = undefined) {
    await this.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', key, text });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key });
  }

  look({ width = 1200, height = 900, phone = false, dark = false, print = false } = {}) {
    return Promise.all([
      this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: phone ? 2 : 1, mobile: phone }),
      this.send('Emulation.setEmulatedMedia', { media: print ? 'print' : '',
        features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] })]);
  }

  async picture(options = {}) {
    const { data } = await this.send('Page.captureScreenshot', { captureBeyondViewport: true, ...options });
    return Buffer.from(data, 'base64');
  }
  async pdf() {
    const { data } = await this.send('Page.printToPDF', { paperWidth: 8.27, paperHeight: 11.69, printBackground: false });
    return Buffer.from(data, 'base64');
  }
  close() { return this.browser.send('Target.closeTarget', { targetId: this.target }); }
}

module.exports = { Browser };
