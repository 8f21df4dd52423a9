// What stands in the boxes, kept in the visitor's browser alone: for the next tab, for a reload, and for a link.
window.keyphraseMetrics = (() => {
  const KEPT = "keyphrase-metrics", LISTS = ["predictions", "references", "second_predictions"];
  const TEXTS = [...LISTS, "sources", "summaries", "corpus"];
  const MOST = 60; // letters of a part of a link that is shown
  const UNCHANGED = { __type__: "update" };
  let state = { page: null, document: null, by_lines: [], settings: {} };
  let pages = [], texts = TEXTS; // of the app; what is typed on the page that is shown
  let opening = null; // the page that is to be shown first, until it is
  let unknown = []; // of what a link says, until it is said that nobody knows it
  let filling = null; // what a page is to hold, until it does: Gradio fills one component after the other

  /** Begin, once, with what a link says, else with what was here before a reload; return the name of the page to show. */
  function start(names) {
    if (pages.length) return state.page;
    pages = names;
    try {
      state = { ...state, ...JSON.parse(sessionStorage.getItem(KEPT)) };
    } catch {} // a browser that keeps nothing for a page in another page
    follow();
    if (!pages.includes(state.page)) state.page = pages[0];
    return (opening = state.page);
  }

  /** Take over what the link says: the page, what was typed, and the page's settings where they are not the defaults. */
  function follow() {
    const given = new URLSearchParams(location.hash.slice(1)), typed = TEXTS.filter((name) => given.has(name));
    const settings = [...given].filter(([name]) => !["metric", "by_lines", ...TEXTS].includes(name));
    const page = given.get("metric") ?? (typed.length + settings.length ? pages[0] : null);
    if (page === null) return;
    state.page = page;
    if (typed.length) {
      state.document = Object.fromEntries(typed.map((name) => [name, given.get(name)]));
      state.by_lines = (given.get("by_lines") ?? "").split(",");
    }
    if (!pages.includes(page)) unknown = [["metric", page], ...settings];
    else if (typed.length + settings.length) state.settings[page] = Object.fromEntries(settings);
  }

  /** Return what a page's boxes, settings and lists are to hold once it is shown. */
  function fill(page, given) {
    if (opening !== null && opening !== page.name) return given.map(() => UNCHANGED);
    opening = null;
    [state.page, texts] = [page.name, page.texts];
    state.document ??= Object.fromEntries(page.texts.map((name, place) => [name, given[place]])); // the first example
    const kept = Object.entries(state.settings[page.name] ?? {}).map(([name, value]) => [name, value, like(page, name, value)]);
    unknown.push(...kept.filter(([, , value]) => value === undefined));
    const settings = Object.fromEntries(kept.flatMap(([name, , value]) => (value === undefined ? [] : [[name, value]])));
    const shown = Object.entries(page.settings).map(([name, usual], place) =>
      state.settings[page.name] === undefined ? given[page.texts.length + place] : name in settings ? settings[name] : usual
    );
    if (state.settings[page.name] !== undefined) state.settings[page.name] = settings;
    const lists = page.texts.filter((name) => LISTS.includes(name));
    save();
    const values = [
      ...page.texts.map((name) => state.document[name] ?? ""),
      ...shown,
      ...lists.map((name) => !state.by_lines.includes(name)),
    ];
    filling = JSON.stringify(values);
    sayUnknown(page.name);
    return values;
  }

  /** Return a setting, which a link has as text, as the kind of value that the usual one is; undefined for nonsense. */
  function like({ settings }, name, value) {
    if (!Object.hasOwn(settings, name)) return undefined;
    const usual = settings[name];
    if (typeof value !== "string" || typeof usual === "string") return value;
    if (typeof usual === "boolean") return { true: true, false: false }[value.toLowerCase()];
    const number = value.trim() === "" ? null : Number(value);
    return Number.isNaN(number) ? undefined : number; // a box that holds NaN changes without end
  }

  /** Say, on the page that is shown, what the link says in vain. */
  function sayUnknown(name) {
    if (!unknown.length) return;
    if (document.getElementById(`${name}-said`) === null) return void setTimeout(sayUnknown, 100, name); // not there yet
    const parts = unknown.map(([key, value]) => `${key}=${value}`.slice(0, MOST)).join(", ").slice(0, MOST * 3);
    said(name, `The link also says ${parts}; this page does not know ${unknown.length > 1 ? "them" : "it"}.`);
    unknown = [];
  }

  /** Note what stands on the page that is shown. */
  function keep(page, given) {
    if (page.name !== state.page || opening !== null) return;
    if (filling !== null && filling !== JSON.stringify(given)) return;
    filling = null;
    const before = fragment();
    const { settings, name } = page, end = texts.length + Object.keys(settings).length;
    const typed = Object.fromEntries(texts.map((text, place) => [text, given[place]]));
    const lists = texts.filter((text) => LISTS.includes(text)), others = state.by_lines.filter((one) => !lists.includes(one));
    state.document = { ...state.document, ...typed };
    state.by_lines = [...others, ...lists.filter((_, place) => given[end + place] === false)];
    const set = Object.entries(settings).map(([key, usual], place) => [key, given[texts.length + place], usual]);
    state.settings[name] = Object.fromEntries(set.filter(([, value, usual]) => value !== usual));
    if (fragment() !== before) said(name, ""); // it was of what stood here
    save();
  }

  function save() {
    try {
      sessionStorage.setItem(KEPT, JSON.stringify(state));
    } catch {}
    if (location.hash && location.hash.slice(1) !== fragment()) {
      history.replaceState(history.state, "", location.pathname + location.search); // it says something else by now
    }
  }

  function fragment() {
    const { page, document, by_lines, settings } = state, given = new URLSearchParams({ metric: page });
    for (const name of texts) if (document?.[name]) given.set(name, document[name]);
    if (by_lines.some(Boolean)) given.set("by_lines", by_lines.join(","));
    for (const [name, value] of Object.entries(settings[page] ?? {})) given.set(name, value ?? "");
    return given.toString();
  }

  const link = () => `${location.origin}${location.pathname}${location.search}#${fragment()}`;

  /** Say something of a page's answer; with a text, show it to be copied by hand. */
  function said(name, words, text) {
    const place = document.getElementById(`${name}-said`);
    if (place === null) return;
    const line = Object.assign(document.createElement("p"), { role: "status", textContent: words });
    place.replaceChildren(line);
    if (text === undefined) return;
    const box = Object.assign(document.createElement("textarea"), { readOnly: true, value: text, ariaLabel: words });
    place.append(box);
    box.select();
  }

  async function copy(name, text, words) {
    if (text === null) return said(name, "There is no score yet.");
    try {
      await navigator.clipboard.writeText(text);
      said(name, words);
    } catch {
      said(name, "This browser does not let the page copy. Copy it from here:", text);
    }
  }

  /** Return what an answer holds for others: the record of a metric, or those of several. */
  function records(name) {
    const shown = document.querySelector(`#${name}-answer:not([data-waiting]) [data-record]`);
    return shown === null ? null : JSON.parse(shown.dataset.record);
  }

  function table(name) {
    const found = records(name);
    if (found === null) return null;
    const every = [found].flat().flatMap((record) => [record, record.other_settings ?? []].flat());
    const lines = every.flatMap(({ metric, scores, signature, data, second }) => [
      ...Object.entries(scores).map(([key, value]) =>
        [metric, key, value ?? "", ...(second ? [second.scores[key] ?? ""] : [])].join("\t")
      ),
      `signature\t${signature}`,
      `data\t${data}`,
    ]);
    return `${lines.join("\n")}\n`;
  }

  function download(name) {
    const found = records(name);
    if (found === null) return said(name, "There is no score yet.");
    const file = new Blob([`${JSON.stringify(found, null, 2)}\n`], { type: "application/json" });
    const anchor = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: `${name}.json` });
    anchor.click();
    URL.revokeObjectURL(anchor.href);
    said(name, `Saved as ${name}.json.`);
  }

  for (const kind of ["keydown", "pointerdown", "input"]) {
    document.addEventListener(kind, () => (filling = null), true); // the visitor goes on from what is there
  }
  document.addEventListener("keydown", (event) => {
    const tabs = [...(event.target.closest?.("[role=tablist]")?.querySelectorAll("[role=tab]") ?? [])];
    const shown = tabs.filter((tab) => tab.offsetParent !== null), place = shown.indexOf(event.target);
    const step = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: -1 }[event.key];
    if (place < 0 || step === undefined || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    shown.at(step % shown.length).focus(); // Enter opens it: that may take a model
  });
  document.addEventListener("click", (event) => {
    const metric = event.target.closest?.("a[data-metric]")?.dataset.metric;
    const tab = metric && document.getElementById(`${metric}-tab-button`);
    if (!tab) return;
    event.preventDefault();
    tab.click();
    tab.focus();
  });
  addEventListener("hashchange", () => location.reload()); // of a link that is pasted here

  return {
    start,
    fill,
    keep,
    download,
    copyLink: (name) => copy(name, link(), "Link copied. Who opens it sees what is here; it is not sent to the server."),
    copyScores: (name) => copy(name, table(name), "Scores copied."),
  };
})();
