import { expect, test } from 'vitest'
import '~/features/index.server.ts'
import { listLog } from '~/features/moderation-log/log.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { makeInvite, revokeInvite } from './joining/invites.server.ts'
import { makeList, sendList, stopList } from './lists/lists.server.ts'

useDatabase()

test('the log says who made and revoked links, and who sent and stopped lists; refused attempts leave no line', async () => {
	const admin = await makeMember('admin', 'admin')
	const { id: link } = await makeInvite(admin, { uses: '30', days: '7', cohort: 'CSE 2027' })
	await revokeInvite(admin, link)
	await expect(revokeInvite(admin, link)).rejects.toThrow('already been revoked')
	const list = await makeList(admin, { days: '7', addresses: 'a@campus.example, b@campus.example' })
	await sendList(admin, list)
	await expect(sendList(admin, list)).rejects.toThrow('already being sent')
	await stopList(admin, list)
	await expect(stopList(admin, list)).rejects.toThrow('not being sent')
	const { rows } = await listLog(admin, { member: 'admin', cursor: null })
	const [ofLinks, ofList] = ['/admin/invitations', `/admin/invitations/list/${list}`]
	expect(rows.map(({ act, note, title, caseUrl }) => [act, note, title, caseUrl])).toEqual([
		['stop invitations', '', `List ${list}`, ofList],
		['send invitations', 'to 2 addresses', `List ${list}`, ofList],
		['revoke an invitation link', '', `Link ${link}`, ofLinks],
		['make an invitation link', 'for CSE 2027, 30 uses', `Link ${link}`, ofLinks],
	])
})
