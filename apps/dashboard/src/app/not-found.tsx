import { LinkButton } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty
        title="There is no screen at this address"
        action={<LinkButton to="/">Overview</LinkButton>}
      >
        The link may be from another version of the dashboard, or a part of it is missing.
      </Empty>
    </Page>
  );
}
