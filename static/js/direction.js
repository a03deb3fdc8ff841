// The direction in which the page is read: 1 from left to right, -1 from right to left, as in Arabic.

export function readingDirection() {
  return document.documentElement.dir === "rtl" ? -1 : 1;
}
