/**
 * One item of the history: who said it, and what. What a tool was asked and answered is folded away, and so are notices and
 * summaries: they are long, and the conversation is between the person and the model.
 */
import { Icon } from "./icons.tsx";
import { type ItemState, isFoldable } from "./item-state.ts";
import { Earlier, Later } from "./more.tsx";
import { ROLES } from "./roles.ts";
import { hashOf } from "./route.ts";
import { type ItemRow, type Part, type Slice, whole } from "./session.ts";
import { CopyButton } from "./tools.tsx";
import { visible } from "./visible.ts";
import { Code, Prose } from "./visible-text.tsx";

export interface ItemProps {
  readonly item: ItemRow;
  readonly state: ItemState;
  /** Reads parts of the item. */
  readonly read: (part: Part) => Promise<Slice>;
  readonly change: (state: ItemState) => void;
  readonly query: string | undefined;
}

export function Item({ item, state, read, change, query }: ItemProps) {
  const more = { shown: state.shown, read, change: (shown: Slice) => change({ ...state, shown }) };
  const Body = item.role === "tool" || item.role === "tool_call" ? Code : Prose;
  const body = (
    <div class="body">
      <Earlier {...more} />
      <Body text={state.shown.from === 0 ? laidOut(item, state.shown) : state.shown.text} query={query} />
      <Later {...more} />
      {item.output_truncated && <p class="hint">{cutByPi(item)}</p>}
    </div>
  );
  const actions = (
    <span class="actions">
      <span data-copy-item>
        <CopyButton label="Copy the item" text={() => whole(read)} />
      </span>
      <CopyButton icon="link" label="Copy a link to the item" text={() => linkTo(item)} />
    </span>
  );
  if (!isFoldable(item)) {
    return (
      <>
        <header>
          <Speaker item={item} />
          {actions}
        </header>
        {body}
      </>
    );
  }
  return (
    <details
      open={state.isOpen}
      onToggle={({ currentTarget: { open } }) => open !== state.isOpen && change({ ...state, isOpen: open })}
    >
      <summary tabIndex={-1}>
        <Icon name="chevron" />
        <Speaker item={item} />
        <span class="preview">{preview(item)}</span>
        {actions}
      </summary>
      {state.isOpen && body}
    </details>
  );
}

function Speaker({ item: { role, tool_name, tool_error } }: { readonly item: ItemRow }) {
  return (
    <span class="speaker">
      <span class="role">{ROLES[role]}</span>
      {tool_name !== undefined && <code>{visible(tool_name)}</code>}
      {tool_error && <span class="tag bad">failed</span>}
    </span>
  );
}

/** How much of a folded item is shown beside its name. */
const PREVIEW = 160;

/** The beginning of an item on one line. Of arguments their values, which say more than the JSON around them. */
function preview({ role, truncated, truncated_content: text }: ItemRow): string {
  const values = role === "tool_call" && !truncated ? argumentsOf(text) : undefined;
  const line = values === undefined ? text : values.map(([, value]) => value).join("  ");
  return visible(line.slice(0, PREVIEW).toWellFormed().replace(/\s+/g, " "));
}

/** Arguments a line each, where that is all of them and loses nothing; the text as it is otherwise. */
function laidOut({ role }: ItemRow, { text, to, total }: Slice): string {
  const values = role === "tool_call" && to === total ? argumentsOf(text) : undefined;
  if (values === undefined || values.length === 0) return text;
  return values.map(([name, value]) => (value.includes("\n") ? `${name}:\n${value}` : `${name}: ${value}`)).join("\n");
}

/** The members of a JSON object: strings as they are, anything else as JSON. */
function argumentsOf(json: string): readonly (readonly [name: string, value: string])[] | undefined {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return Object.entries(value).map(([name, member]) => {
      return [name, typeof member === "string" ? member : JSON.stringify(member)];
    });
  } catch {
    return undefined;
  }
}

function cutByPi({ full_output_path: path }: ItemRow): string {
  const kept = path === undefined ? "" : ` All of it was kept in ${visible(path)}.`;
  return `Pi cut this output before the model saw it.${kept}`;
}

function linkTo({ window_id: window, item_id: item }: ItemRow): string {
  return new URL(hashOf({ at: "window", window, item }), location.href).href;
}
