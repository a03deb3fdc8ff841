// My answers and my day: times in this computer's time zone, and days that end at its midnight.

import { localTimes } from "./desk/times.js";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const day = document.querySelector("#my-day");
const address = new URL(window.location.href);

localTimes(document);
if (day && zone && day.dataset.zone !== zone && !address.searchParams.has("zone")) {
  address.searchParams.set("zone", zone);
  window.location.replace(address);
}
