import Translate from "@docusaurus/Translate";
import permissions from "@generated/api-reference/default/permissions.json";
import CodeInline from "@theme/CodeInline";

type Props = { call: string };

/** The resource and the action by which a policy allows a call, from the contract: `CREATE` on `OTP`. */
export function PermissionOf({ call }: Props) {
  const { resource, action } = permissionOf(call);
  return (
    <Translate
      id="permission"
      description="What a policy names to allow a request"
      values={{
        action: <CodeInline>{action}</CodeInline>,
        resource: <CodeInline>{resource}</CodeInline>,
      }}
    >
      {"{action} on {resource}"}
    </Translate>
  );
}

export function permissionOf(call: string) {
  const permission = permissions[call];
  if (!permission) throw new Error(`the contract has no submission \`${call}\``);
  return permission;
}
