// Notes as they are read: Markdown without HTML, links that lead inside or open elsewhere. Nothing of a note can run.

import MarkdownIt from "markdown-it";

const reader = new MarkdownIt({ html: false, linkify: false, breaks: false });
const SAFE = /^(https?:|mailto:)/i;

reader.validateLink = (address: string): boolean => SAFE.test(address.trim()) || !/^[a-z][a-z0-9+.-]*:/i.test(address.trim());

// Pictures are not fetched: a note must not tell anybody that it was read.
reader.renderer.rules["image"] = (tokens, at) => `<em class="picture">${reader.utils.escapeHtml(tokens[at]?.content || "picture")}</em>`;

// The policy of the page lets no style attribute in: columns are aligned by classes.
reader.core.ruler.push("align", (state) => {
  for (const token of state.tokens) {
    const style = token.attrGet("style");
    if (style === null) continue;
    token.attrs = (token.attrs ?? []).filter(([name]) => name !== "style");
    token.attrJoin("class", `align-${/center|right/.exec(String(style))?.[0] ?? "left"}`);
  }
});

reader.inline.ruler.before("link", "wiki", (state, silent) => {
  const { src, pos } = state;
  const start = src.startsWith("![[", pos) ? pos + 3 : src.startsWith("[[", pos) ? pos + 2 : -1;
  if (start < 0) return false;
  const end = src.indexOf("]]", start);
  if (end < 0 || end > start + 500 || src.slice(start, end).includes("\n")) return false;
  if (!silent) {
    const [target = "", shown = ""] = src.slice(start, end).split("|", 2);
    const label = target.replace(/;\s*(w|weight|source|id|type)\s*=[^;]*/g, "").trim();
    const open = state.push("wiki_open", "a", 1);
    open.attrs = [["href", "#"], ["class", "wiki"], ["data-label", label]];
    state.push("text", "", 0).content = (shown || label).trim();
    state.push("wiki_close", "a", -1);
  }
  state.pos = end + 2;
  return true;
});

const FRONT = /^\uFEFF?(---|\+\+\+)[ \t]*\n[\s\S]*?\n(?:\1|\.\.\.)[ \t]*(?:\n|$)/;
const BLOCK_ID = /[ \t]+\^[\w-]+[ \t]*$/gm;

/** The text as elements. `follow` is called with the label of an inner link that is clicked. */
export function render(text: string, follow: (label: string) => void): HTMLElement {
  const box = document.createElement("div");
  box.className = "prose";
  box.dir = "auto";
  box.innerHTML = reader.render(text.replace(FRONT, "").replace(BLOCK_ID, ""));
  for (const link of box.querySelectorAll("a")) {
    const address = link.getAttribute("href") ?? "";
    const label = link.dataset["label"];
    if (SAFE.test(address)) {
      link.target = "_blank";
      link.rel = "noopener noreferrer nofollow";
    } else {
      const meant = label ?? decode(address);
      link.setAttribute("href", "#");
      link.addEventListener("click", (event) => { event.preventDefault(); follow(meant); });
    }
  }
  return box;
}

function decode(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
