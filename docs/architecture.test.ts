import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

// What docs/architecture.md lists is what there is.

const root = join(import.meta.dirname, '..')
const guide = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8')

/** The tables that the migrations leave behind; partitions belong to their tables. */
function tables(): string[] {
  const sql = globSync('server/src/**/migrations/*.sql', { cwd: root })
    .sort()
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')
  const named = (statement: RegExp) => [...sql.matchAll(statement)].map(([, name = '']) => name)
  const dropped = new Set(named(/^\s*drop table (?:if exists )?(\w+)/gim))
  return named(/^\s*create (?:unlogged )?table (\w+)/gim).filter((name) => !dropped.has(name))
}

describe('the architecture', () => {
  it('names the writer of every table', () => {
    const section = guide.slice(guide.indexOf('## Tables and their writers'), guide.indexOf('## Roles'))
    const listed = [...section.matchAll(/^\| (`[^|]+)\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    )
    const made = tables()
    expect(made.length).toBeGreaterThan(60)
    expect(made.filter((name) => !listed.includes(name))).toEqual([])
    expect(listed.filter((name) => !made.includes(name))).toEqual([])
  })
})
