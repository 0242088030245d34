// `npm start`: installs what is missing, runs the venue and ends with its exit code. It compiles nothing: contracts are
// deployed from contracts/artifacts.
import { appIsStale, buildApp } from './build-app.mjs'
import { staleTrees } from './contract-trees.mjs'
import { environment, install, launch } from './setup.mjs'
import { VENUE_OPTIONS } from './venue-options.mjs'

install({ development: false })
const stale = staleTrees()
if (stale.length > 0) {
  console.warn(
    `The contracts of ${stale.join(' and ')} changed since contracts/artifacts was written, which is what gets deployed: run "npm run contracts".`,
  )
}
// At once with the rest of the start: the venue opens its port when the app's files are there.
if (appIsStale()) {
  buildApp().then((isBuilt) => {
    if (!isBuilt)
      console.warn('The app could not be built, see above: the venue runs without it, or with the one built before.')
  })
}
// Each connection that has seen the venue's tables holds about 10 MB of PostgreSQL's memory: seven beside the indexer's own,
// not twelve.
const venue = launch('node', [...VENUE_OPTIONS, 'server/src/main.ts'], {
  env: { MALLOC_ARENA_MAX: '2', DATABASE_CONNECTIONS: '7', ...environment },
})

// Ctrl-C reaches the venue from the terminal; a signal sent to this process alone is passed on. Either way the venue
// drains first and this process ends after it.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => venue.kill('SIGTERM'))
venue.on('exit', (code, signal) => process.exit(signal === null ? code : 1))
