import { type Actor, type Attack, exchange, queryOf, repeat } from "../attack.ts";
import { wantedPolicies } from "../world.ts";
import { times, USER } from "./lists.ts";

/** Everything that evaluates a hundred policies with nested loops. */
export const policies: Actor = (attack) => {
  const activity = {
    type: "ACTIVITY_TYPE_CREATE_POLICIES",
    parameters: { policies: wantedPolicies("new") },
  };
  return Promise.all([
    ...times(4, () => repeat(attack, () => ask(attack, "simulate_activity", { activity }))),
    repeat(attack, () => {
      const activityId = attack.random.pick(attack.world.waiting);
      return ask(attack, "get_policy_evaluations", { activityId, includeTrace: true });
    }),
    // Each activity that waits has warnings about the policies it would make.
    repeat(attack, () => {
      const filterByType = ["ACTIVITY_TYPE_CREATE_POLICIES"];
      const paginationOptions = { limit: "100" };
      return ask(attack, "list_activities", { filterByType, paginationOptions });
    }),
  ]);
};

function ask(attack: Attack, name: string, parameters: object): Promise<number> {
  return exchange(attack, queryOf(attack.world.clerk, USER, name, parameters));
}
