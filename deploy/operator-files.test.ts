import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rpcReasons } from '../server/src/chain/rpc-error.ts'
import { secretVariables, signersOf, variables } from '../server/src/config.ts'
import { createPool } from '../server/src/db/pool.ts'
import { configuredWith } from '../server/src/delegation/testing-values.ts'
import { alarmingReasons, requestMetrics, streamMetrics } from '../server/src/http/metrics.ts'
import { testVenue } from '../server/src/http/testing.ts'
import { openHealth } from '../server/src/roles/health.ts'
import { STOPPED_REASONS } from '../server/src/roles/health-metrics.ts'
import { failureCounter } from '../server/src/roles/keeper.ts'
import { openProducts, products } from '../server/src/roles/products.ts'
import { reasonTables } from '../server/src/roles/reasons.ts'

// The files of deploy/ that name metrics name those that /metrics has, with the labels that they have.

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Every metric of a venue with its labels, from the registries that its processes fill. */
async function metricLabels(): Promise<Map<string, ReadonlySet<string>>> {
  const values = configuredWith(products.map(({ variables }) => variables))
  const sql = createPool({ url: 'postgres://nobody@127.0.0.1:1/none', maxConnections: 1, applicationName: 'test' })
  const venue = testVenue({ sql })
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  requestMetrics(metrics, [])
  streamMetrics(metrics, () => 0)
  failureCounter(metrics)
  const health = openHealth({ venue, metrics }, null, openProducts(products, venue, values))
  await health.close()
  await sql.end()
  const named = metrics.getMetricsAsArray() as unknown as { name: string; type: string; labelNames?: string[] }[]
  const known = named.flatMap(({ name, type, labelNames = [] }) => {
    const suffixes = type === 'histogram' ? ['_bucket', '_count', '_sum'] : ['']
    return suffixes.map(
      (suffix) => [name + suffix, new Set([...labelNames, ...(suffix === '_bucket' ? ['le'] : [])])] as const,
    )
  })
  return new Map([...known, ['up', new Set<string>()]])
}

/** What Prometheus adds by itself, as prometheus.yml says. */
const TARGET_LABELS = ['instance', 'job', 'role']
const WORDS = new Set(['by', 'without', 'and', 'or', 'unless', 'on', 'ignoring'])

interface Use {
  readonly metric: string
  readonly labels: readonly string[]
}

/** The metrics of an expression, each with the labels that it is selected by. */
function usesOf(expression: string): Use[] {
  const bare = expression.replaceAll(/\b(by|without) \([^)]*\)/g, '').replaceAll(/\[\w+\]/g, '')
  return [...bare.matchAll(/(?<![\w.])([a-zA-Z_:][\w:]*)(?:\{([^}]*)\})?(?!\s*\(|\w)/g)].flatMap(
    ([whole, metric = '', selector = '']) => {
      if (WORDS.has(metric) || bare.includes(`${whole}(`)) return []
      return [{ metric, labels: [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label) }]
    },
  )
}

/** The labels that an expression groups by. */
const groupedBy = (expression: string): string[] =>
  [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(',').map((label) => label.trim()))

const alerts = read('deploy/prometheus/alerts.yml')
const alertExpressions = [...alerts.matchAll(/^ +expr: (.+)$/gm)].map(([, expression = '']) => expression)

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}
const dashboards = globSync('deploy/grafana/*.json', { cwd: root }).map((path) => JSON.parse(read(path)) as Dashboard)
const panelExpressions = dashboards.flatMap(({ panels }) =>
  panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
)

describe('the metrics', () => {
  it.each([
    ['the alerts', alertExpressions],
    ['the dashboards', panelExpressions],
  ])('that %s name exist, with the labels they name', async (_file, expressions) => {
    expect(expressions.length).toBeGreaterThan(15)
    const known = await metricLabels()
    for (const expression of expressions) {
      const uses = usesOf(expression)
      expect(uses.length, expression).toBeGreaterThan(0)
      for (const { metric, labels } of uses) {
        const has = known.get(metric)
        expect(has, `${metric} of ${expression}`).toBeDefined()
        for (const label of [...labels, ...groupedBy(expression)]) {
          expect([...(has ?? []), ...TARGET_LABELS], `${label} of ${expression}`).toContain(label)
        }
      }
    }
  })

  it('are each looked at by an alert', async () => {
    const watched = new Set(alertExpressions.flatMap(usesOf).map(({ metric }) => metric))
    const own = [...(await metricLabels()).keys()].filter((name) => /^(bourse|http)_/.test(name))
    // A histogram is looked at by its buckets.
    expect(own.filter((name) => !watched.has(name) && !/_(sum|count)$/.test(name))).toEqual([])
  })

  it('of a wrong expression are found', () => {
    expect(usesOf('sum by (a) (rate(x_total{b="c d(e)",f=~"g"}[5m])) > 0 and time() - max(y) > 1e3')).toEqual([
      { metric: 'x_total', labels: ['b', 'f'] },
      { metric: 'y', labels: [] },
    ])
  })
})

describe('an alert', () => {
  const rules = alerts.split(/^ {6}- alert: /m).slice(1)

  it('says how urgent it is, in words what is wrong, and which page helps', () => {
    expect(rules.length).toBe(alertExpressions.length)
    for (const rule of rules) {
      const name = rule.slice(0, rule.indexOf('\n'))
      expect(rule, name).toMatch(/severity: (page|ticket) /)
      expect(rule, name).toMatch(/^ +summary: "[^"]+"$/m)
      const [, page = ''] = /^ +runbook: (docs\/\S+\.md)$/m.exec(rule) ?? []
      expect([name, page, page !== '' && existsSync(join(root, page))]).toEqual([name, page, true])
    }
  })

  const ruleFor = (text: string) => rules.filter((rule) => rule.includes(text))
  const runbookOf = (rule = '') => /^ +runbook: (\S+)$/m.exec(rule)?.[1]

  it('of an outage counts every failure that the chain causes, and the guide names each', () => {
    const [rule = ''] = rules.filter((one) => one.startsWith('BourseChainOutage\n'))
    const [, pattern = ''] = /reason=~"([^"]+)"/.exec(rule) ?? []
    const outage = new RegExp(`^(?:${pattern})$`)
    const guide = read('docs/operations.md')
    const reasons = reasonTables(products).flatMap((table) => (table.name === 'market' ? [] : table.reasons))
    const upstream = reasons.filter(({ kind }) => kind === 'upstream').map(({ name }) => name)
    expect(upstream.length).toBeGreaterThan(Object.keys(rpcReasons).length)
    for (const name of upstream) {
      expect([name, outage.test(name)]).toEqual([name, true])
      expect([name, name.startsWith('rpc_') || guide.includes(`\`${name}\``)]).toEqual([name, true])
    }
  })

  it('that looks at the rate of a reason looks at one that is counted from zero', async () => {
    const named = alertExpressions.flatMap((expression) =>
      [...expression.matchAll(/http_request_failures_total\{reason=~?"([^"]+)"\}/g)].map(([, pattern = '']) => pattern),
    )
    expect(named.length).toBeGreaterThan(2)
    const metrics = new Registry()
    const counted = alarmingReasons(reasonTables(products))
    const observed = requestMetrics(metrics, counted)
    for (const { name } of products) observed(name, 'GET', '/')
    const text = await metrics.metrics()
    const known = reasonTables(products).flatMap(({ reasons }) => reasons.map(({ name }) => name))
    for (const reason of known.filter((name) => named.some((pattern) => new RegExp(`^(?:${pattern})$`).test(name)))) {
      for (const { name } of products) {
        expect(text).toContain(`http_request_failures_total{product="${name}",reason="${reason}"} 0\n`)
      }
    }
  })

  it('tells of each role of which no process answers, one that no target is left of too', () => {
    const { default: every } = variables.properties.ROLES as { default?: unknown }
    const roles = String(every).split(',')
    expect(roles.length).toBe(4)
    const gone = rules.filter((rule) => rule.startsWith('BourseRoleGone\n'))
    const selectors = new Map(
      gone.map((rule) => {
        const [, pattern = ''] = /^ +expr: absent\(up\{job="bourse",role=~"([^"]+)"\} == 1\)$/m.exec(rule) ?? []
        return [/\brole: (\w+)/.exec(rule)?.[1], new RegExp(`^(?:${pattern})$`)]
      }),
    )
    const heldBy = (label: string) => roles.filter((role) => selectors.get(role)?.test(label))
    for (const label of [...roles, String(every), 'api,indexer,keeper', 'indexer,keeper']) {
      expect([label, heldBy(label)]).toEqual([label, label.split(',')])
    }
    expect(heldBy('relayers')).toEqual([])
  })

  it('tells for each cause that a signer sends nothing, and leads an empty one not to a restored database', () => {
    for (const reason of STOPPED_REASONS) {
      expect([reason, ruleFor(`bourse_relayer_stopped{reason="${reason}"}`).length]).toEqual([reason, 1])
    }
    const pageOf = (reason: string) => runbookOf(ruleFor(`bourse_relayer_stopped{reason="${reason}"}`)[0])
    expect(STOPPED_REASONS.filter((reason) => pageOf(reason) === 'docs/runbooks/restore.md')).toEqual([
      'database_behind_chain',
    ])
  })
})

describe('every metric of the alarms', () => {
  it('is explained in the guide', async () => {
    const guide = read('docs/operations.md')
    const explained = [...guide.matchAll(/^\| `((?:bourse|http)_\w+)` +\|/gm)].map(([, name = '']) => name)
    const own = [...(await metricLabels()).keys()].map((name) => name.replace(/_(bucket|count|sum)$/, ''))
    const ours = new Set(own.filter((name) => /^(bourse|http)_/.test(name)))
    expect([...ours].sort()).toEqual(explained.sort())
  })
})

/** A shell's exit code and what it said. */
function shell(script: string, path = ''): readonly [number | null, string] {
  const env = { ...process.env, PATH: `${path}:${process.env.PATH}` }
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { env, encoding: 'utf8' })
  return [status, stdout + stderr]
}

describe('backups', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bourse-backups-'))
    mkdirSync(join(folder, 'wal'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const held = (name: string) => readFileSync(join(folder, name), 'utf8')
  const page = () => read('docs/runbooks/backups.md').replaceAll('/backups', folder)

  function archive(segment: string): number | null {
    const [, command = ''] = /^archive_command = '(.+)'$/m.exec(read('deploy/postgresql/bourse.conf')) ?? []
    const file = command.replaceAll('/backups', folder).replaceAll('%f', segment)
    const [status] = shell(file.replaceAll('%p', join(folder, 'pg_wal', segment)))
    return status
  }

  it('archive a segment once more after a crash, and after a copy that was broken off', () => {
    put('pg_wal/0001', 'a whole segment')
    expect([archive('0001'), archive('0001')]).toEqual([0, 0])
    put('pg_wal/0002', 'another segment')
    put('wal/0002.tmp', 'ano')
    expect([archive('0002'), held('wal/0002'), readdirSync(join(folder, 'wal'))]).toEqual([
      0,
      'another segment',
      ['0001', '0002'],
    ])
  })

  it('never archive a segment over another one, and never a part under its name', () => {
    put('pg_wal/0001', 'ours')
    put('wal/0001', 'of another server')
    expect([archive('0001') === 0, held('wal/0001')]).toEqual([false, 'of another server'])
    expect([archive('0003') === 0, existsSync(join(folder, 'wal/0003'))]).toEqual([false, false])
  })

  it('are not removed while none are made', () => {
    const [, nightly = ''] = /^(pg_basebackup [\s\S]*?)\n\n/m.exec(page()) ?? []
    put('base-old/backup_label', '')
    shell(`touch -d '20 days ago' ${folder}/base-old`)
    put('bin/pg_basebackup', '#!/bin/sh\nexit 1\n')
    chmodSync(join(folder, 'bin/pg_basebackup'), 0o755)
    shell(nightly, join(folder, 'bin'))
    expect(existsSync(join(folder, 'base-old'))).toBe(true)
    put('bin/pg_basebackup', '#!/bin/sh\nexit 0\n')
    shell(nightly, join(folder, 'bin'))
    expect(existsSync(join(folder, 'base-old'))).toBe(false)
  })

  it('are restored into a data folder that is there', () => {
    const [, copy = ''] = /^ +(cp -a .+)$/m.exec(page()) ?? []
    put('base-2030-06-10/PG_VERSION', '18')
    mkdirSync(join(folder, 'data'))
    const [status, said] = shell(copy.replace('/var/lib/postgresql/18/main', join(folder, 'data')))
    expect([status, said, held('data/PG_VERSION')]).toEqual([0, '', '18'])
  })

  it('are restored as far as each setting says, whatever an earlier restore has left in the archive or in the backup', () => {
    const [, lines = ''] = /postgresql\.auto\.conf << 'END'\n([\s\S]*?)\n +END$/m.exec(page()) ?? []
    const settings = new Map([...lines.matchAll(/^ *(\w+) = '(.*)'$/gm)].map(([, name, value]) => [name, value]))
    expect([...settings.keys()]).toEqual([
      'restore_command',
      'recovery_target_time',
      'recovery_target_timeline',
      'recovery_target_action',
    ])
    // PostgreSQL's own is the newest timeline of the archive, which is that of the last attempt.
    expect(settings.get('recovery_target_timeline')).toBe('current')
  })

  it('are rehearsed without a trace in the archive or at those who are told webhooks', () => {
    const [rehearsal = ''] = /^Rehearse it: [\s\S]+/m.exec(page()) ?? []
    for (const needed of ['`archive_mode = off`', 'read-only', '`ROLES=indexer,api`', '`WEBHOOK_TARGETS=none`']) {
      expect(rehearsal).toContain(needed)
    }
  })
})

describe('the variables', () => {
  const files = ['deploy/compose.yaml', 'deploy/Dockerfile', ...globSync('deploy/systemd/*.env', { cwd: root })]

  it('that compose file, image and units set are the venue’s, and secrets come from files', () => {
    const known = new Set(Object.keys(variables.properties))
    const secrets = new Set(secretVariables())
    const set = files.flatMap((file) => {
      const text = read(file).replaceAll(/^\s*#.*$/gm, '')
      return [...text.matchAll(/(?<![\w$])([A-Z][A-Z_]{3,})(?:=|: )/g)].map(([, name = '']) => name)
    })
    // What belongs to the programs beside the venue.
    const own = set.filter((name) => !/^(POSTGRES_|REDISCLI_|GF_|NODE_ENV$|VENUE_DOMAIN$)/.test(name))
    expect(own.length).toBeGreaterThan(25)
    for (const name of own) {
      const secret = name.endsWith('_FILE') && secrets.has(name.slice(0, -'_FILE'.length))
      expect([name, secret || (known.has(name) && !secrets.has(name))]).toEqual([name, true])
    }
  })

  it('of every signer stand in the compose file, in the units and on the pages for a stolen key and for one that is lost', () => {
    const units = globSync('deploy/systemd/*.env', { cwd: root }).map(read).join('')
    const pages = ['docs/runbooks/stolen-key.md', 'docs/runbooks/backups.md'].map(read)
    const signers = signersOf(products).map(({ variable }) => variable)
    expect(signers).toContain('SIGNER_PERP_KEEPER_KEY')
    for (const name of signers) {
      const stands = [read('deploy/compose.yaml'), units].map((text) => text.includes(`${name}_FILE`))
      const explained = pages.map((page) => page.includes(`| \`${name}\` |`))
      expect([name, ...stands, ...explained]).toEqual([name, true, true, true, true])
    }
  })

  it('of each role stand in a file of its own beside the unit', () => {
    const [, list = ''] = /^# One role of a venue: (.+)\.$/m.exec(read('deploy/systemd/bourse@.service')) ?? []
    const roles = list.split(', ').map((name) => name.replace('bourse@', ''))
    expect(roles.length).toBe(5)
    for (const role of roles) {
      const text = read(`deploy/systemd/${role}.env`)
      expect(text).toMatch(/^ROLES=(api|indexer|keeper|relayer)$/m)
      expect(text).toMatch(/^HEALTH_PORT=\d+$/m)
      for (const [, instance = ''] of text.matchAll(/bourse@([\w-]+)\.service/g)) expect(instance).toBe(role)
    }
  })
})
