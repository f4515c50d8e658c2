import type { Requirement } from "./requirement.ts";

const noWebrtc = "There is no WebRTC.";

export const webrtc: readonly Requirement[] = [
  {
    number: "17.1.1",
    level: 2,
    asks: "A TURN server relays only to public addresses.",
    answer: { doesNotApply: noWebrtc },
  },
  {
    number: "17.2.1",
    level: 2,
    asks: "The key of the media server is protected.",
    answer: { doesNotApply: noWebrtc },
  },
  {
    number: "17.2.2",
    level: 2,
    asks: "The media server uses approved ciphers.",
    answer: { doesNotApply: noWebrtc },
  },
  {
    number: "17.2.3",
    level: 2,
    asks: "The media server checks where media come from.",
    answer: { doesNotApply: noWebrtc },
  },
  {
    number: "17.2.4",
    level: 2,
    asks: "Malformed media don’t stop the media server.",
    answer: { doesNotApply: noWebrtc },
  },
  {
    number: "17.3.1",
    level: 2,
    asks: "A flood doesn’t stop the signalling server.",
    answer: { doesNotApply: noWebrtc },
  },
  {
    number: "17.3.2",
    level: 2,
    asks: "Malformed messages don’t stop the signalling server.",
    answer: { doesNotApply: noWebrtc },
  },
];
