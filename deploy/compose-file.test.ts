import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

// What deploy/compose.yaml says of a service fits what it says elsewhere, and the files that it mounts.

const folder = import.meta.dirname
const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const compose = read('compose.yaml').replaceAll(/^ *#.*\n/gm, '')

/** The part of a key of the outermost level. */
const part = (key: string): string => new RegExp(`^${key}:.*\\n(?:(?: .*)?\\n)*`, 'm').exec(compose)?.[0] ?? ''

/** The services by name, each as its text. */
const services = new Map(
  part('services')
    .split(/^ {2}(?=[\w-]+:$)/m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf(':')), text]),
)
const service = (name: string): string => services.get(name) ?? ''

/** The secrets that a service is given. */
const givenTo = (text: string): string[] =>
  (/^ {4}secrets: \[([^\]]+)\]/m.exec(text)?.[1] ?? '').split(', ').filter(Boolean)

describe('the compose file', () => {
  it('has a container for every role, and every secret that one reads is given to it and declared', () => {
    expect([...services.keys()]).toEqual(
      expect.arrayContaining(['api', 'indexer', 'keeper', 'relayer-settle', 'relayer-submit', 'postgres', 'redis']),
    )
    const declared = [...part('secrets').matchAll(/^ {2}(\w+): \{ file: \.\/secrets\/(\w+) \}$/gm)]
    expect(declared.length).toBeGreaterThan(10)
    const common = [...part('x-common').matchAll(/\/run\/secrets\/(\w+)/g)].map(([, secret = '']) => secret)
    expect(common).toEqual(['database_url', 'rpc_url'])
    for (const [name, text] of services) {
      const named = [...text.matchAll(/\/run\/secrets\/(\w+)/g)].map(([, secret = '']) => secret)
      const needed = text.includes('<<: *common') ? [...common, ...named] : named
      expect([name, ...new Set(givenTo(text))].sort()).toEqual([name, ...new Set(needed)].sort())
      for (const secret of needed) expect(declared.map(([, known]) => known)).toContain(secret)
    }
  })

  it('lets the api alone depend on Redis', () => {
    expect(part('x-bourse') + part('x-common')).not.toMatch(/redis/i)
    const users = [...services].filter(([, text]) => /redis_url|redis: \{/.test(text)).map(([name]) => name)
    expect(users).toEqual(['api'])
    expect(service('api')).toContain('redis: { condition: service_healthy }')
  })

  it('has a container for what is to be done before the api starts', () => {
    const page = readFileSync(join(folder, '../docs/runbooks/restore.md'), 'utf8')
    const commands = [...page.matchAll(/^docker compose -f deploy\/compose\.yaml (.+)$/gm)].map(
      ([, command]) => command,
    )
    expect(commands).toEqual(['stop api', 'run --rm --no-deps api node server/src/cli.ts streams renumber'])
    expect(service('api')).not.toBe('')
  })

  it('mounts files that are there', () => {
    const mounted = [...compose.matchAll(/"\.\/([\w./-]+):\//g)].map(([, path = '']) => path)
    expect(mounted.length).toBeGreaterThan(8)
    // The chain's own, which the operator brings.
    const brought = ['deployment.json']
    expect(mounted.filter((path) => !brought.includes(path) && !existsSync(join(folder, path)))).toEqual([])
  })

  it('keeps every named volume that it mounts', () => {
    const used = [...compose.matchAll(/"([a-z]+):\/(?!\/)/g)].map(([, name = '']) => name)
    const kept = [...part('volumes').matchAll(/(\w+): \{\}/g)].map(([, name = '']) => name)
    expect([...new Set(used)].sort()).toEqual(kept.sort())
  })

  it('makes the folder of the archive for PostgreSQL before that starts', () => {
    const [, archive = ''] = /cp %p (\S+)\/%f/.exec(read('postgresql/bourse.conf')) ?? []
    expect(archive).toBe('/backups/wal')
    expect(service('backups-init')).toContain(
      `"-o", "postgres", "-g", "postgres", "-m", "700", "/backups", "${archive}"`,
    )
    expect(service('backups-init')).toContain('"backups:/backups"')
    expect(service('postgres')).toContain('backups-init: { condition: service_completed_successfully }')
    expect(service('postgres')).toContain('"backups:/backups"')
  })

  it('opens Redis to the other containers by a password alone', () => {
    expect(service('redis')).toContain('["sh", "/etc/start.sh", "/etc/redis.conf", "/run/secrets/redis_password"]')
    expect(read('redis/start.sh')).toMatch(/^bind \* -::\*\nrequirepass \$\(cat "\$password"\)$/m)
    expect(service('redis')).not.toContain('ports:')
  })

  it('trusts the proxy that ends TLS and nobody else, and lists its name as the origin of pages', () => {
    const [, proxy = ''] = /ipv4_address: ([\d.]+)/.exec(service('proxy')) ?? []
    expect(proxy).not.toBe('')
    expect(service('api')).toContain(`TRUSTED_PROXIES: ${proxy},`)
    expect(service('api')).toMatch(/APP_ORIGINS: "https:\/\/\$\{VENUE_DOMAIN\}",/)
  })

  it('publishes the proxy alone, and that by IPv4, since its network has no other', () => {
    const published = [...services].flatMap(([name, text]) => {
      const [, ports = ''] = /^ {4}ports: \[(.+)\]$/m.exec(text) ?? []
      return ports
        .split(', ')
        .filter(Boolean)
        .map((port) => `${name} ${port}`)
    })
    expect(published).toEqual(['proxy "0.0.0.0:80:80"', 'proxy "0.0.0.0:443:443"', 'grafana "127.0.0.1:3000:3000"'])
    expect(part('networks')).not.toContain('ipv6')
  })

  it('keeps its api containers in an update, which waits until the indexer is ready', () => {
    const page = readFileSync(join(folder, '../docs/operations.md'), 'utf8')
    const [, update = ''] = /^# the same with the compose file\n([\s\S]+?)^```$/m.exec(page) ?? []
    expect(update).toMatch(
      /up -d --no-deps indexer\nuntil .* exec -T indexer[\s\S]+:9100\/readyz[\s\S]+\ndo sleep 2; done\n/,
    )
    expect(service('api')).toContain('deploy: { replicas: 2 }')
    expect(read('Dockerfile')).toContain('HEALTH_PORT=9100')
  })

  it('hides from strangers what needs no key', () => {
    const [, hidden = ''] = /@inside path (.+)/.exec(read('caddy/Caddyfile')) ?? []
    expect(hidden.split(' ').sort()).toEqual(['/healthz', '/livez', '/metrics', '/readyz', '/status'])
  })

  it('runs an Alertmanager where Prometheus looks for one, and shows Grafana every dashboard', () => {
    const [, target = ''] =
      /alertmanagers:[\s\S]*?targets: \[([\w-]+):9093\]/.exec(read('prometheus/prometheus.yml')) ?? []
    expect(service(target)).toContain('image: prom/alertmanager:')
    const [, path = ''] = /path: (\S+) \}/.exec(read('grafana/provisioning/dashboards/bourse.yaml')) ?? []
    for (const board of ['venue.json', 'orders.json']) {
      expect(service('grafana')).toContain(`"./grafana/${board}:${path}/${board}:ro"`)
    }
  })
})
