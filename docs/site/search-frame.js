// Search runs in a worker. A page that was opened from a disk is refused one, so there an empty frame stands in for it.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      const load = (address) =>
        new Promise((loaded, failed) => {
          const script = this.inside.document.createElement("script");
          Object.assign(script, { src: new URL(address, document.baseURI), onload: loaded, onerror: failed });
          this.inside.document.head.append(script);
        });
      this.inside.importScripts = (...addresses) => addresses.reduce((before, next) => before.then(() => load(next)), Promise.resolve());
      this.inside.postMessage = (data) => this.told(this, MessageEvent, data);
      this.ready = load(url);
    }

    postMessage(data) {
      this.ready.then(() => this.told(this.inside, this.inside.MessageEvent, data));
    }

    told(target, kind, data) {
      const event = new kind("message", { data: structuredClone(data) });
      target.onmessage?.(event);
      target.dispatchEvent(event);
    }
  };
}
