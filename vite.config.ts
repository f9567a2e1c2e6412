import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { reactRouter } from '@react-router/dev/vite'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig, type Plugin } from 'vite'
import { hashOfSources } from './scripts/support/install.mjs'
import { precompress } from './scripts/support/precompress.ts'
import { routeFiles } from './scripts/support/route-files.ts'
import { routeMatching } from './scripts/support/route-matching.ts'

/** Icons that few pages show, and that are loaded with those. */
const rareIcons = [
	'award',
	'bell',
	'bell-off',
	'bold',
	'bookmark',
	'briefcase-business',
	'check-check',
	'clock',
	'cloud-off',
	'code',
	'copy',
	'download',
	'ellipsis',
	'eye',
	'eye-off',
	'flag',
	'folder',
	'graduation-cap',
	'grip-vertical',
	'heading',
	'history',
	'image',
	'image-plus',
	'italic',
	'letter-b',
	'letter-h',
	'link',
	'list',
	'list-ordered',
	'lock-keyhole',
	'mail',
	'map-pin',
	'maximize-2',
	'phone',
	'pin',
	'quote',
	'rotate-ccw-clock',
	'send-horizontal',
	'shield-check',
	'sliders-horizontal',
	'square-code',
	'triangle-alert',
	'upload',
	'user-plus',
	'wifi-off',
	'zoom-in',
	'zoom-out',
]

/** Of folders whose other files every page needs, what few pages need: the beginnings of their names. */
const rareFiles = {
	ui: [
		'chips',
		'combobox',
		'conflict',
		'settings-page',
		'sugges',
		'field',
		'password',
		'filter-form',
		'form-',
		'load-failed',
		'local-time',
		'pending',
		'presence',
		'prose',
		'rendered-text',
		'submit',
		'token',
		'unsent-text',
		'use-press',
		'week-chart',
		'writing-notice',
		'tab-row',
	],
	shell: ['account-frame', 'site-fault', 'guard/', 'use-toast-offset', 'unsent-forms'],
	'platform/realtime': ['use-presence'],
	'platform/http': ['cursors', 'form', 'problem', 'site-fault'],
	lib: ['at-sign', 'calendar', 'clean', 'html', 'keep-typed', 'links', 'new-key', 'sizes', 'unsent-form', 'version'],
}

/**
 * Bundles what every page needs into two files, and what the pages of visitors share into a few: the headers of thirty small ones would
 * outweigh their content, and together they compress better. Parts of the interface that only members' forms use are loaded with them.
 */
const sharedChunks = [
	{ name: 'react', test: /node_modules\/(react|react-dom|scheduler|react-router)\// },
	{
		name: 'shared',
		test: new RegExp(
			[
				`/node_modules/lucide/(?!.*/(${rareIcons.join('|')})\\.)`,
				...Object.entries(rareFiles).map(([folder, names]) => `/app/${folder}/(?!${names.join('|')})`),
				'/app/features/finder/(finder\\.paths|components/(header-search|search-field))',
				'/app/features/notifications/components/use-unread',
				'/app/features/question-lists/(lists\\.view|components/question-skeleton)',
				'/app/features/questions/questions\\.paths',
				'/app/features/tags/tags\\.view',
			].join('|'),
		),
	},
	{ name: 'form', test: /\/app\/(platform\/http\/form|ui\/(field|form-|writing-notice))/ },
	{ name: 'account', test: /\/app\/(shell\/account-frame|ui\/password-field)/ },
	{
		name: 'people',
		test: /\/app\/(features\/(members\/(members|self)\.view|profiles\/profiles\.view)|lib\/calendar|platform\/realtime\/use-presence|ui\/(local-time|presence))/,
	},
	{
		name: 'question-card',
		test: /\/app\/features\/(question-lists\/components\/question-card|search\/components\/answered)/,
	},
	{
		name: 'forum-list',
		test: /\/app\/features\/(question-lists\/components\/list-page|tags\/components\/forum-frame|search\/components\/search-form)/,
	},
	{
		name: 'question',
		test: /\/app\/(features\/(discussion\/components\/(?!structured-data)|asking\/components\/mention-help|following\/components\/follow-buttons|moderation\/(components\/report-form|moderation\.)|questions\/questions\.limits|routing\/routing\.view|upkeep\/upkeep\.view)|ui\/(rendered-text|use-press)|lib\/(at-sign|html|new-key))/,
	},
	{
		name: 'directory',
		test: /\/app\/(features\/(directory\/(directory\.paths|components)|campus\/components\/campus-status|following\/components\/saved-searches|inbox\/components\/chat-button|profiles\/components\/first-steps)|ui\/(combobox|pending))/,
	},
]

/** Dependencies of loaders, found before the loaders are removed; browsers never request them. */
const serverOnly = [
	'@block65/webcrypto-web-push',
	'@node-rs/argon2',
	'better-auth',
	'graphile-worker',
	'kysely',
	'nodemailer',
	'pg',
	'pino',
	'rate-limiter-flexible',
	'sharp',
]

/**
 * Packages that are not bundled: native code, packages that load files of their own, development tools, large packages that are loaded
 * rarely or on demand, and the database driver, whose statements the benchmarks count.
 */
const notBundled = [
	'@aws-sdk/client-s3',
	'@aws-sdk/s3-request-presigner',
	'@block65/webcrypto-web-push',
	'@node-rs/argon2',
	'@shikijs/langs',
	'pg',
	'sharp',
	'tinypool',
	'vite',
]

/** Additional entries of the server's bundle: worker threads. React Router gives all inputs one name. */
const workers: Plugin = {
	name: 'workers',
	apply: 'build',
	applyToEnvironment: ({ name }) => name === 'ssr',
	buildStart() {
		for (const [folder, name] of [
			['markdown', 'render-worker'],
			['encoder', 'encoder-worker'],
		]) {
			const id = fileURLToPath(new URL(`./app/platform/${folder}/${name}.server.ts`, import.meta.url))
			this.emitFile({ type: 'chunk', id, fileName: `${name}.js` })
		}
	},
}

/**
 * What `charset: 'ascii'` leaves as it is: comments, such as the name of an author. V8 keeps the source of each file in memory, and one
 * character outside ASCII makes it take two bytes for every character.
 */
const asciiComments: Plugin = {
	name: 'ascii-comments',
	apply: 'build',
	applyToEnvironment: ({ name }) => name === 'ssr',
	renderChunk: (code) => ({
		code: code.replace(
			/[\u0080-\uffff]/g,
			(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
		),
		map: null,
	}),
}

/**
 * React Router's instrumentation with functions that do nothing: the site has none, and the bundler keeps the code because it depends on
 * an option.
 */
const noInstrumentation: Plugin = {
	name: 'no-instrumentation',
	apply: 'build',
	applyToEnvironment: ({ name }) => name === 'client',
	transform: {
		filter: { id: /\/react-router\/dist\/production\/lib\/router\/instrumentation\.js$/ },
		handler(code) {
			const [, names] = /export \{([^}]+)\}/.exec(code) ?? []
			if (!names) this.error('React Router exports its instrumentation differently.')
			const lines = names.split(',').map((name) => `export const ${name.trim()} = () => undefined`)
			return { code: lines.join('\n'), map: null }
		},
	},
}

/**
 * React Router encodes the data of each document before it is rendered. Nearly all are sent as JSON instead (app/entry.server.tsx), so they are
 * encoded when the result is read.
 */
const encodingWhenRead: Plugin = {
	name: 'encoding-when-read',
	apply: 'build',
	applyToEnvironment: ({ name }) => name === 'ssr',
	transform: {
		filter: { id: /\/react-router\/dist\/production\/lib\/server-runtime\/server\.js$/ },
		handler(code) {
			const late = code.replaceAll(
				/serverHandoffStream: (encodeViaTurboStream\(.+\)),/g,
				'serverHandoffStream: whenRead(() => $1),',
			)
			if (late.split('whenRead(').length !== 3) this.error('React Router encodes the data of a document differently.')
			return { code: `${late}\n${whenRead}`, map: null }
		},
	},
}

/** A stream for its two readers, React Router and ours. Runs within that module, without access to this one. */
function whenRead(encode: () => ReadableStream) {
	return {
		getReader: () => encode().getReader(),
		[Symbol.asyncIterator]: () => encode()[Symbol.asyncIterator](),
	}
}

/** The version in `app/lib/version.ts`. COMMIT names the commit outside a clone, as in a release of `npm run update` or an image. */
function version(): string {
	const { version: number } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'))
	const commit = process.env.COMMIT || commitOf(fileURLToPath(new URL('.', import.meta.url)))
	return JSON.stringify({ number, commit })
}

function commitOf(folder: string): string | null {
	try {
		const args = ['-C', folder, 'describe', '--always', '--dirty=+', '--abbrev=10', '--exclude=*']
		return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
	} catch {
		return null
	}
}

/** Lets scripts/support/install.mjs check whether the build is up to date, and whether the packages outside it can be loaded. */
const notesForStart: Plugin = {
	name: 'notes-for-start',
	apply: 'build',
	applyToEnvironment: ({ name }) => name === 'ssr',
	buildStart() {
		const source = hashOfSources(fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, ''))
		this.emitFile({ type: 'asset', fileName: 'sources.sha256', source })
		this.emitFile({ type: 'asset', fileName: 'not-bundled.json', source: JSON.stringify(notBundled) })
	},
}

export default defineConfig(({ command }) => ({
	define: { SITE_VERSION: version() },
	plugins: [
		tailwindcss(),
		reactRouter(),
		noInstrumentation,
		encodingWhenRead,
		routeMatching,
		routeFiles(),
		precompress(),
		workers,
		asciiComments,
		notesForStart,
	],
	resolve: { alias: { '~': fileURLToPath(new URL('./app', import.meta.url)) } },
	// Tables of packages have thousands of keys, and a start of the server would make each an export.
	json: { namedExports: false },
	environments: {
		client: {
			// Pre-bundled before the first page in development; a dependency found later would reload it.
			optimizeDeps: { include: ['lucide', 'socket.io-client', 'zod'], exclude: serverOnly },
			build: { rolldownOptions: { output: { codeSplitting: { groups: sharedChunks } } } },
		},
		ssr: {
			build: {
				rolldownOptions: {
					input: './server/main.ts',
					output: { charset: 'ascii', comments: { annotation: false, jsdoc: false } },
				},
			},
			// One bundle for the whole server: it loads in a third of the time of several hundred files, and has one copy of every module.
			...(command === 'build' && {
				resolve: { noExternal: true, external: notBundled },
				define: { 'process.env.NODE_ENV': '"production"' },
			}),
		},
	},
	build: { target: 'es2022', assetsInlineLimit: 0 },
	server: { watch: { ignored: ['**/data/**', '**/build/**', '**/test-results/**'] } },
}))
