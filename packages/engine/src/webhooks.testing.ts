/** A URL that nothing is sent to by the tests' own server, because nothing delivers there. */
export const endpoint = { url: "https://receiver.example.com/hooks", name: "audit log" };

export const activityUpdates = { eventType: "ACTIVITY_UPDATES", isActive: true };

export const endpointId = "00000000-0000-4000-8000-000000000000";
