import { expect, test } from 'vitest'
import { nginxConfig } from './nginx.ts'

const front = { HOST: 'localhost', PORT: 3000, publicUrl: 'http://localhost:3000' }

test('requests go to every node, and all files are in one folder', () => {
	const text = nginxConfig('/srv/quad', front, [4001, 4002, 4003], 4000)
	expect(text.match(/server 127\.0\.0\.1:\d+ /g)).toEqual([
		'server 127.0.0.1:4001 ',
		'server 127.0.0.1:4002 ',
		'server 127.0.0.1:4003 ',
		'server 127.0.0.1:4000 ',
	])
	expect(text).toContain('127.0.0.1:4000 backup')
	for (const [, path] of text.matchAll(/^\s*(?:\w+_path|pid|error_log)\s+(\S+);/gm))
		expect(path).toMatch(/^\/srv\/quad\//)
})

test.each([
	['this machine', { HOST: 'localhost' }, 'listen 127.0.0.1:3000;'],
	['every network, IPv4 too', { HOST: '::' }, 'listen [::]:3000 ipv6only=off;'],
	['an address of IPv6', { HOST: '::1' }, 'listen [::1]:3000;'],
])('it listens on %s', (_what, host, line) => {
	expect(nginxConfig('/srv', { ...front, ...host }, [4001], 4000)).toContain(line)
})

test('nodes get the public scheme, and no header that a client forged', () => {
	const text = nginxConfig('/srv', { ...front, publicUrl: 'https://quad.example' }, [4001], 4000)
	expect(text).toContain('X-Forwarded-Proto https;')
	expect(text).not.toContain('$http_x_forwarded')
	expect(text).not.toContain('proxy_add_x_forwarded_for')
})
