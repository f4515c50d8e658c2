import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const grace = await readApiKeyFile("data/demo/grace.json");
const client = new KeyhearthClient({
  baseUrl: process.env.KEYHEARTH_URL ?? "http://localhost:3000",
  organizationId: grace.organizationId,
  stamper: new ApiKeyStamper(grace),
});

const { activities } = await client.listActivities({
  filterByStatus: ["ACTIVITY_STATUS_CONSENSUS_NEEDED"],
});
for (const { id } of activities) {
  // The function gets the request as Ada stamped it, and says whether Grace approves it.
  const { activity, result } = await client.approve(id, ({ type, parameters }) => {
    console.log(`${type} of ${parameters.payload} by ${parameters.signWith}`);
    return type === "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2";
  });
  console.log(`${activity.status}: r is ${result?.r}`);
}
