import { startEmbeddedPostgres } from '~/db/embedded-postgres.server.ts'
const withSite = async (w: any) => { const p = await startEmbeddedPostgres(process.env.DATA_DIR!, (process.env.PGOPTS ?? '').split(' ').filter(Boolean)); openDatabase(p.connection); try { await pool().query('create extension if not exists pg_prewarm'); await pool().query("select sum(pg_prewarm(oid)) from pg_class where relkind in ('r','i','t') and relnamespace = 'public'::regnamespace"); await w() } finally { await closeDatabase(); await p.stop() } }
import { anybody, type Wish } from '~/features/directory/directory.paths.ts'
import { listCommunity } from '~/features/directory/community.server.ts'
import { suggest } from '~/features/directory/suggestions.server.ts'
import { getProfile } from '~/features/profiles/profiles.server.ts'
import { listQueries } from '~/features/forum/reading.server.ts'
import { personOf, randomOf } from '~/features/directory/seed/people.ts'
import { closeDatabase, openDatabase, pool } from '~/db/db.server.ts'
import { encodeCursor } from '~/lib/cursors.ts'
import pg from 'pg'
const N = Number(process.argv[2]); const only = process.argv[3]
const q = pg.Client.prototype.query
let spent: Record<string, number[]> = {}; let db = 0; let slow: any[] = []
;(pg.Client.prototype as any).query = async function (...a: any[]) { const s = performance.now(); const r = await (q as any).apply(this, a); const t=(typeof a[0]==='string'?a[0]:a[0].text)?.replace(/\s+/g,' ').trim().slice(0,28); const d = performance.now()-s; db += d; (spent[t] ??= []).push(d); slow.push([d, a[0].text ?? a[0], a[0].values??a[1]]); return r }
await withSite(async () => {
  const opt = (pool() as any).options; const o = { host: opt.host, user: opt.user, database: opt.database, max: 1 }
  await closeDatabase(); openDatabase(o)
  const random = randomOf(7)
  const who = () => personOf(1 + Math.floor(random() * N))
  const pick = (l: any[]) => l[Math.floor(random()*l.length)]
  const typo = (n: string) => { const w = n.toLowerCase().split(' '); const i = pick([0,1]); const x = w[i]!; const at = 1+Math.floor(random()*(x.length-1)); w[i] = [x.slice(0,at)+x.slice(at+1), x.slice(0,at)+'x'+x.slice(at+1), x.slice(0,at)+'e'+x.slice(at)][Math.floor(random()*3)]!; return w.join(' ') }
  const viewer = { id: 1, username: 'x', name: 'x', image: null, role: 'member' } as any
  const ops: Record<string, () => Promise<any>> = {
    list: () => listCommunity(anybody, random()<.3?null:encodeCursor(['newest',0,2+Math.floor(random()*N)])),
    'one skill, open to': () => { const p = who(); return listCommunity({ ...anybody, skills: [pick(p.skills)], openTo: [pick(['mentoring','collaborating'])] }) },
    'two skills': () => { const p = who(); return listCommunity({ ...anybody, skills: p.skills.slice(0,2) }) },
    'branch year uni': () => { const p = who(); return listCommunity({ ...anybody, branches: [p.profile.enrol_in_branch_name], years: [p.profile.current_year], universities: [p.profile.university_name] }) },
    'active skill+branch': () => { const p = who(); return listCommunity({ ...anybody, sort:'active', skills: [pick(p.skills)], branches: [p.profile.enrol_in_branch_name] }) },
    'typo name': () => { const p = who(); return listCommunity({ ...anybody, q: typo(p.name) }) },
    'skills q': () => { const p = who(); return listCommunity({ ...anybody, q: p.skills.slice(0,3).join(' ') }) },
    suggest: () => { const p = who(); const t = pick([p.name, p.name.split(' ')[1], pick(p.skills), p.profile.university_name]); return suggest(t.slice(0, 2+Math.floor(random()*6))) },
    profile: async () => { const p = who(); const v = await getProfile(viewer, p.username); return listQueries(viewer, { author: v.username, limit: 10 }) },
  }
  for (const [name, op] of Object.entries(ops)) {
    if (only && !name.includes(only)) continue
    for (let i=0;i<200;i++) await op()
    spent = {}; const times: number[] = []; slow = []
    for (let i=0;i<200;i++) { db = 0; await op(); times.push(db) }
    times.sort((a,b)=>a-b)
    const st = Object.entries(spent).map(([k,v]) => { v.sort((a,b)=>a-b); return `${k.slice(0,22)} x${(v.length/200).toFixed(1)} ${v[v.length>>1]!.toFixed(2)}/${v[Math.floor(v.length*.99)]!.toFixed(1)}` })
    console.log(name.padEnd(20), times[100]!.toFixed(2), times[198]!.toFixed(2), '  ::', st.join(' | '))
    if (only) { slow = slow.filter((s: any) => s[1].includes?.(process.argv[4] ?? '')); slow.sort((a,b)=>a[0]-b[0]); slow = slow.slice(slow.length>>1); for (const s of slow.slice(0,3)) console.log(s[0].toFixed(1), JSON.stringify(s[2]).slice(0,400)); const fs = await import('node:fs'); const w = slow[0]; const e = await pool().query({ text: 'explain (analyze, buffers) '+w[1].replace(/\$(\d+)/g,(m:string,i:string)=>{ const v=w[2][+i-1]; return typeof v==='number'?String(v):Array.isArray(v)?`'{${v.join(',')}}'`: v===null?'null':`'${v}'`}) }); console.log(e.rows.map((r:any)=>r['QUERY PLAN']).join('\n')) }
  }
})
