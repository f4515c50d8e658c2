import { ApiError } from "@keyhearth/engine/errors";

/** The organization asks others first, so what was asked for may still happen. */
export class Undecided extends ApiError {}
