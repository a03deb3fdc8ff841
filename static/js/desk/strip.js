// Ticks in a pane's margin at marked words, so that those out of view are visible too.

const SPACE = "http://www.w3.org/2000/svg";
const HEIGHT = 1000;

export function drawStrip(strip, reading) {
  const { scroll } = reading;
  const all = reading.node.querySelectorAll("mark.found");
  const marks = all.length ? all : reading.node.querySelectorAll("mark.common");
  if (scroll.scrollHeight <= scroll.clientHeight) return strip.replaceChildren();
  const top = scroll.getBoundingClientRect().top - scroll.scrollTop;
  return strip.replaceChildren(
    ...[...marks].map((mark) => {
      const place = (mark.getBoundingClientRect().top - top) / scroll.scrollHeight;
      const tick = document.createElementNS(SPACE, "rect");
      tick.setAttribute("y", String(Math.round(place * HEIGHT)));
      tick.setAttribute("x", "2");
      tick.setAttribute("width", "6");
      tick.setAttribute("height", mark.classList.contains("now") ? "7" : "4");
      if (mark.classList.contains("now")) tick.setAttribute("class", "now");
      return tick;
    }),
  );
}
