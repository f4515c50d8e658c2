import { useState } from "react";
import { Select } from "../../ui/choices.tsx";
import { hasText, SearchBox } from "../../ui/search-box.tsx";
import { seenName } from "../../ui/seen.ts";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Time } from "../../ui/time.tsx";
import { credentialsOf, isRoot, nameOfTag, type Team } from "./team.ts";
import "./users.css";

/** An organization has at most 100 users, so they are searched here. */
export function People({ team }: { team: Team }) {
  const [sought, setSought] = useState("");
  const [tagId, setTagId] = useState("all");
  const found = team.users.filter(
    (user) =>
      hasText(sought, user.userName, user.userEmail, user.userPhoneNumber, user.userId) &&
      (tagId === "all" || (tagId === "root" ? isRoot(team, user) : user.userTags.includes(tagId))),
  );
  const tags = team.tags.map((tag) => ({ id: tag.tagId, label: tag.tagName }));
  return (
    <>
      <div className="search-row">
        <SearchBox
          label="Search for a user"
          placeholder="Name, email address, phone number or id"
          value={sought}
          onChange={setSought}
        />
        <Select
          label="Shown"
          options={[
            { id: "all", label: "Everybody" },
            { id: "root", label: "Root users" },
            ...tags,
          ]}
          value={tagId}
          onChange={(id) => setTagId(String(id))}
        />
      </div>
      {found.length === 0 ? (
        <Empty title="Nobody is like that">Change the search, or what is shown.</Empty>
      ) : (
        <Table
          label="Users"
          rows={found}
          keyOf={({ userId }) => userId}
          hrefOf={({ userId }) => `/users/${userId}`}
          columns={[
            { name: "Name", cell: ({ userName }) => seenName(userName), isMain: true },
            { name: "Email", cell: ({ userEmail }) => userEmail ?? "" },
            {
              name: "Tags",
              cell: (user) => (
                <span className="row">
                  {isRoot(team, user) && <Tag tone="accent">Root</Tag>}
                  {user.userTags.map((id) => (
                    <Tag key={id}>{nameOfTag(team, id)}</Tag>
                  ))}
                </span>
              ),
            },
            { name: "Credentials", cell: (user) => credentialsOf(user) },
            { name: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
        />
      )}
    </>
  );
}
