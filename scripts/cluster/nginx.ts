import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { listenAddresses } from '../../server/listen.ts'
import { freePort } from '../support/free-ports.ts'
import { root } from '../support/install.mjs'
import { type ClusterServer, keepServerRunning } from './part.ts'

/** Values for nginx's configuration. */
interface Front {
	HOST: string
	PORT: number
	publicUrl: string
}

/**
 * nginx's configuration: a proxy in front of these nodes, with all files in one folder.
 * @param ports of the nodes, on 127.0.0.1
 * @param waitingRoom port of the waiting room, on 127.0.0.1
 * @param isRoot whether root starts it
 */
export function nginxConfig(
	folder: string,
	{ HOST, PORT, publicUrl }: Front,
	ports: number[],
	waitingRoom: number,
	isRoot = false,
): string {
	const scheme = publicUrl.startsWith('https:') ? 'https' : 'http'
	const listens = ownAddressesOf(HOST).map((host) => `    listen ${listenOf(host, PORT)};`)
	return `# Written by \`npm run cluster\` at each start.
${isRoot ? 'user root; # its account may not enter the folders of another\n' : ''}pid ${folder}/nginx.pid;
error_log ${folder}/nginx-error.log;
worker_processes auto;
events { worker_connections 8192; }

http {
  access_log off;
  server_tokens off;
  client_body_temp_path ${folder}/temp/body;
  proxy_temp_path       ${folder}/temp/proxy;
  fastcgi_temp_path     ${folder}/temp/fastcgi;
  uwsgi_temp_path       ${folder}/temp/uwsgi;
  scgi_temp_path        ${folder}/temp/scgi;

  upstream nodes {
    # Any node will do: sockets come by WebSocket alone, so nothing must find its way back to the same one.
    least_conn;
${ports.map((port) => `    server 127.0.0.1:${port} max_fails=1 fail_timeout=2s;`).join('\n')}
    # Asked while none of them listens: it keeps the request until one does.
    server 127.0.0.1:${waitingRoom} backup max_fails=0;
    keepalive 64;
  }

  map $http_upgrade $connection_header { default upgrade; '' ''; }

  server {
${listens.join('\n')}
    # A little more than the site takes, so that it can say itself what is too large.
    client_max_body_size 8m;

    location / {
      proxy_pass http://nodes;
      proxy_http_version 1.1;
      proxy_set_header Host              $http_host;
      proxy_set_header Upgrade           $http_upgrade;
      proxy_set_header Connection        $connection_header;
      proxy_set_header X-Forwarded-For   $remote_addr;
      proxy_set_header X-Forwarded-Proto ${scheme};
      proxy_set_header X-Forwarded-Host  $http_host;
      proxy_connect_timeout 2s;
      # A socket is pinged every 10 s; a page never takes as long.
      proxy_read_timeout 60s;
      proxy_send_timeout 60s;
      # Pages are rendered whole: nginx takes them at once and feeds the slow readers.
      proxy_buffers 16 16k;
      # What a node did not answer is asked of the next one; what writes only if it was not sent, as to a node that stops.
      proxy_next_upstream error timeout;
    }
  }
}
`
}

/**
 * Starts nginx in front of the nodes, and the waiting room for times when no node listens.
 * @throws Error with one sentence when one of them does not start
 */
export async function startNginx(
	program: string,
	folder: string,
	front: Front,
	ports: number[],
): Promise<ClusterServer> {
	mkdirSync(join(folder, 'temp'), { recursive: true })
	const waitingRoom = await freePort()
	const file = join(folder, 'nginx.conf')
	writeFileSync(file, nginxConfig(folder, front, ports, waitingRoom, process.getuid?.() === 0))
	const log = join(folder, 'nginx-error.log')
	const start = () =>
		spawn(program, ['-c', file, '-p', folder, '-e', log, '-g', 'daemon off;'], {
			stdio: ['ignore', 'pipe', 'pipe'],
			detached: true,
		})
	const room = await startWaitingRoom(waitingRoom, ports)
	try {
		const nginx = await keepServerRunning({ name: 'nginx', start, isUp: () => isOpen(front), patience: 700 })
		return { stop: async () => void (await Promise.all([nginx.stop(), room.stop()])) }
	} catch (error) {
		await room.stop()
		throw error
	}
}

function startWaitingRoom(port: number, nodes: number[]): Promise<ClusterServer> {
	const args = [
		'scripts/waiting-room.mjs',
		'--port',
		String(port),
		...nodes.flatMap((node) => ['--node', String(node)]),
	]
	return keepServerRunning({
		name: 'The waiting room',
		// The IPC channel tells it when this process is gone, even by SIGKILL.
		start: () =>
			spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true, env: {} }),
		isUp: (line) => line?.includes('is open') ?? false,
		patience: 700,
	})
}

function listenOf(host: string, port: number): string {
	const name = host.includes(':') ? `[${host}]` : host
	return `${name}:${port}${host === '::' ? ' ipv6only=off' : ''}`
}

/** nginx does not start if it is to listen on an address that the machine does not have. */
function ownAddressesOf(host: string): string[] {
	const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))
	return listenAddresses(host).filter((address) => address !== '::1' || hasIpv6)
}

async function isOpen({ HOST, PORT }: Front): Promise<boolean> {
	const socket = connect(PORT, HOST === '0.0.0.0' ? '127.0.0.1' : HOST === '::' ? '::1' : HOST)
	try {
		await once(socket, 'connect')
		return true
	} catch {
		return false
	} finally {
		socket.destroy()
	}
}
