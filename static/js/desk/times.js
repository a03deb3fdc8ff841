// Times in this computer's time zone and language; without scripts the server's text stays.

export function localTimes(root) {
  for (const node of root.querySelectorAll("time[data-local]")) {
    const at = new Date(node.dateTime);
    const today = at.toDateString() === new Date().toDateString();
    const options = today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
    node.textContent = `${today ? "at" : "on"} ${at.toLocaleString(undefined, options)}`;
  }
}
