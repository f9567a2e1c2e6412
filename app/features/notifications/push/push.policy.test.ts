import { expect, test } from 'vitest'
import { parseConfig } from '~/config.server.ts'
import { isPushService } from './push.schema.ts'

const { PUSH_HOSTS } = parseConfig({})

test.each([
	'https://fcm.googleapis.com/fcm/send/abc:def',
	'https://updates.push.services.mozilla.com/wpush/v2/abc',
	'https://web.push.apple.com/abc',
	'https://db5p.notify.windows.com/w/?token=abc',
	'https://FCM.googleapis.com:443/x',
])('%s is a push service', (endpoint) => {
	expect(isPushService(endpoint, PUSH_HOSTS)).toBe(true)
})

test.each([
	'http://fcm.googleapis.com/fcm/send/abc',
	'https://fcm.googleapis.com:8443/x',
	'https://fcm.googleapis.com.evil.example/x',
	'https://evil.example/fcm.googleapis.com',
	'https://evil.example#.push.apple.com',
	'https://evil.example\\.push.apple.com/',
	'https://push.apple.com.evil.example/',
	'https://push.apple.com/',
	'https://evilpush.apple.com/',
	'https://fcm.googleapis.com@127.0.0.1/x',
	'https://user:secret@fcm.googleapis.com/x',
	'https://127.0.0.1/x',
	'https://[::1]/x',
	'https://localhost/x',
	'https://169.254.169.254/latest/meta-data',
	'file:///etc/passwd',
	'javascript:alert(1)',
	'//fcm.googleapis.com/x',
	'',
])('%s is none', (endpoint) => {
	expect(isPushService(endpoint, PUSH_HOSTS)).toBe(false)
})

test('a port other than that of https has to be listed', () => {
	expect(isPushService('https://push.campus.example:8443/x', ['push.campus.example:8443'])).toBe(true)
	expect(isPushService('https://push.campus.example/x', ['push.campus.example:8443'])).toBe(false)
})
