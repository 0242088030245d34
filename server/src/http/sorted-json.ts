/** Deeper bodies have no sorted form: the reader refuses them anyhow. */
const MAX_DEPTH = 16

/**
 * A JSON body with the keys of its objects sorted and no space between its tokens, for schemes that sign this form. Numbers and
 * strings stay as they were sent, to the letter; of equal keys the order stays. Null for what is no JSON.
 *
 * @param levels how deep keys are sorted: 1 sorts those of the outermost object alone, all others stay in the order sent
 */
export function sortedJson(bytes: Buffer, levels = MAX_DEPTH): Buffer | null {
  const text = bytes.toString('utf8')
  try {
    JSON.parse(text)
  } catch {
    return null
  }
  const tokens = text.match(TOKEN) ?? []
  let next = 0

  function value(depth: number): string | null {
    const token = tokens[next++] ?? ''
    if (token === '{')
      return list('}', depth, member, (parts) => `{${(depth < levels ? sorted(parts) : parts).join(',')}}`)
    if (token === '[') return list(']', depth, value, (parts) => `[${parts.join(',')}]`)
    return token
  }

  function member(depth: number): string | null {
    const key = tokens[next++] ?? ''
    next++ // the colon
    const inner = value(depth)
    return inner === null ? null : `${key}:${inner}`
  }

  function list(
    end: string,
    depth: number,
    read: (depth: number) => string | null,
    write: (parts: string[]) => string,
  ): string | null {
    if (depth === MAX_DEPTH) return null
    const parts: string[] = []
    while (tokens[next] !== end) {
      if (tokens[next] === ',') next++
      const part = read(depth + 1)
      if (part === null) return null
      parts.push(part)
    }
    next++
    return write(parts)
  }

  const whole = value(0)
  return whole === null ? null : Buffer.from(whole, 'utf8')
}

/** The tokens of valid JSON: strings, the marks of structure, and numbers or words. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** Members by their keys' own text, not its spelling: an escaped key stands where its letters do. */
const sorted = (members: string[]): string[] =>
  members
    .map((member) => ({ member, key: keyOf(member) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ member }) => member)

const keyOf = (member: string): string => JSON.parse(/^"(?:[^"\\]|\\.)*"/.exec(member)?.[0] ?? '""') as string
