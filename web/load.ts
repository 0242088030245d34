// Measures what rows that change all the time cost the browser, on the screen of a perpetual with its chart, book and trades:
//   node web/load.ts [address of a venue that `npm start` runs] [seconds] [row updates a second]
import { launchChromium } from '../scripts/chromium.ts'
import { measureLoad, openMarketUnderLoad } from './e2e/row-load.ts'

const [url = 'http://127.0.0.1:8080', seconds = '60', rowsPerSec = '500'] = process.argv.slice(2)

const browser = await launchChromium()
const app = await openMarketUnderLoad(browser, new URL('/', url).href)
const figures = await measureLoad(app, { seconds: Number(seconds), rowsPerSec: Number(rowsPerSec), parts: 6 })
await app.close()
await browser.close()

const { updatesPerSec, busyShare, heapMb, domNodes } = figures
console.log(`${updatesPerSec.toFixed(0)} row updates a second for ${seconds} s`)
console.log(`main thread busy ${(busyShare * 100).toFixed(1)} % of the time`)
console.log(`heap after collection, MB: ${heapMb.map((mb) => mb.toFixed(2)).join('  ')}`)
console.log(`nodes of the document: ${domNodes.join('  ')}`)
