// Calls on the service: adds the key, understands its problems. Knows nothing of the page.

const BASE = "/api/v1";
const KEY = "remem.key";

export class ApiError extends Error {
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

/** What went wrong, as a person reads it. */
export const tell = (error: unknown): string =>
  error instanceof ApiError ? error.message : "The service does not answer. Nothing was changed.";

/** Asks the person for a key; null where none was given. */
export type KeyAsker = (refused: boolean) => Promise<string | null>;

let askForKey: KeyAsker = async () => null;
let asking: Promise<string | null> | null = null;
/** Whether the person did not want to give a key: then nobody asks again before the page is loaded anew. */
let declined = false;

export function setKeyAsker(asker: KeyAsker): void {
  askForKey = asker;
}

export function readKey(): string | null {
  return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
}

export function keepKey(key: string, always: boolean): void {
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
  (always ? localStorage : sessionStorage).setItem(KEY, key);
}

export type Query = Record<string, string | number | boolean | readonly string[] | null | undefined>;

function makeAddress(path: string, query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === "") continue;
    given.append(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  const tail = given.toString();
  return BASE + path + (tail ? `?${tail}` : "");
}

function makeHeaders(body: unknown): Record<string, string> {
  const key = readKey();
  return {
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
  };
}

/** The answer as it came, after the key was asked for where one is needed. */
export async function send(
  method: string, path: string, query: Query = {}, body?: unknown, signal?: AbortSignal,
): Promise<Response> {
  for (;;) {
    const sent = readKey();
    const answer = await fetch(makeAddress(path, query), {
      method,
      headers: makeHeaders(body),
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
    if (answer.status !== 401) return answer;
    if (readKey() !== sent) continue;
    if (declined) return answer;
    asking ??= askForKey(sent !== null).finally(() => { asking = null; });
    if ((await asking) === null) {
      declined = true;
      return answer;
    }
  }
}

async function raise(answer: Response): Promise<never> {
  let code = "unknown", message = `${answer.status} ${answer.statusText}`;
  try {
    const problem = await answer.json();
    code = problem.code ?? code;
    message = problem.detail ?? problem.title ?? message;
  } catch { /* no JSON: the status has to do */ }
  throw new ApiError(answer.status, code, message);
}

/** The JSON of an answer. Raises ApiError. */
export async function call<T>(
  method: string, path: string, query: Query = {}, body?: unknown, signal?: AbortSignal,
): Promise<T> {
  const answer = await send(method, path, query, body, signal);
  if (!answer.ok) return raise(answer);
  return await answer.json() as T;
}

export const get = <T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> =>
  call<T>("GET", path, query, undefined, signal);

export const encode = (id: string): string => encodeURIComponent(id);
