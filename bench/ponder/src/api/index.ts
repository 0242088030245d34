import { Hono } from 'hono'

/** Ponder asks for one; nothing is asked of it. */
export default new Hono()
