import { ScrollingTable } from "../ScrollingTable.tsx";
import measured from "./measured.json";

/** What a run of `npm run bench` measured, with its date and machine. */
export function MeasuredRates() {
  const { date, processor, cores, memoryGb, node, rates } = measured;
  return (
    <>
      <p>
        Measured on {date} by <code>npm run bench -- --only=sessions</code>, with Node.js {node} on
        a virtual machine with {cores} cores ({processor}) and {memoryGb} GB of memory. Service,
        signer, PostgreSQL with durable commits, and the program that made the load shared the{" "}
        {cores} cores.
      </p>
      <ScrollingTable>
        <thead>
          <tr>
            <th scope="col">Request, on 32 connections</th>
            <th scope="col">A second</th>
            <th scope="col">Median latency</th>
            <th scope="col">Processor time of each</th>
          </tr>
        </thead>
        <tbody>
          {rates.map(({ what, perSecond, p50Ms, processorMs }) => (
            <tr key={what}>
              <td>{what}</td>
              <td>{perSecond.toLocaleString("en")}</td>
              <td>{p50Ms} ms</td>
              <td>{processorMs} ms</td>
            </tr>
          ))}
        </tbody>
      </ScrollingTable>
    </>
  );
}
