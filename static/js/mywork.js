// My answers and my day: times in the person's time zone, or else this computer's, and days that end at its midnight.

import { localTimes } from "./desk/times.js";

const zone = document.documentElement.dataset.zone || Intl.DateTimeFormat().resolvedOptions().timeZone;
const day = document.querySelector("#my-day");
const address = new URL(window.location.href);

localTimes(document);
if (day && zone && day.dataset.zone !== zone && !address.searchParams.has("zone")) {
  address.searchParams.set("zone", zone);
  window.location.replace(address);
}
