import { db } from '~/db/db.server.ts'
import { withSite } from './support/site.ts'
import { anybody, wishOf } from '~/features/directory/directory.paths.ts'
import { listCommunity } from '~/features/directory/community.server.ts'
import pg from 'pg'
const q = pg.Client.prototype.query
let spent: [number, string][] = []
;(pg.Client.prototype as any).query = async function (...a: any[]) { const s = performance.now(); const r = await (q as any).apply(this, a); const t=typeof a[0]==='string'?a[0]:a[0].text; spent.push([performance.now()-s, t.replace(/\s+/g,' ').slice(0,50)]); return r }
const urls = process.argv.slice(2)
await withSite(async () => {
  for (const url of urls) {
    const p = new URLSearchParams(url); const cursor = null
    let r: any
    for (let i = 0; i < 8; i++) { spent = []; r = await listCommunity(wishOf(p), cursor) }
    console.log('\n' + url, '=>', r.count, r.page.rows.length, r.page.next !== null, JSON.stringify(r.loosen))
    console.log('  ', r.page.rows.slice(0, 3).map((x: any) => `${x.name} (${x.why})`).join(' | '))
    console.log('  ', spent.map(([t, s]) => t.toFixed(1) + ' ' + s.slice(0, 28)).join(' | '))
  }
})
