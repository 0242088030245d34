// The operator's command line of the venue with the till.
import { runCommandLine } from '../../src/cli.ts'
import { products } from './products.ts'

await runCommandLine(products)
