// What scrolls can be reached by the keyboard; the theme wraps wide tables after the page is there.
const reach = () => document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])").forEach((one) => (one.tabIndex = 0));
new MutationObserver(reach).observe(document.body, { childList: true, subtree: true });
reach();
