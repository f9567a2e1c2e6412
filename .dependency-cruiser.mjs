/** The import ladder of docs/architecture.md: everything points down, siblings never meet. */
const features = (names) => `^app/features/(${names.join('|')})/`

const ladder = [
	{ from: ['accounts'], never: ['profiles', 'directory', 'forum', 'home'] },
	{ from: ['profiles'], never: ['directory', 'home'] },
	{ from: ['directory'], never: ['forum', 'home'] },
	{ from: ['forum'], never: ['directory', 'home'] },
]

export default {
	forbidden: [
		{ name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
		...ladder.map(({ from, never }) => ({
			name: `${from[0]}-points-down`,
			severity: 'error',
			from: { path: features(from) },
			to: { path: features(never) },
		})),
		{
			name: 'app-never-imports-server',
			severity: 'error',
			from: { path: '^app/' },
			to: { path: '^(server|scripts|tests)/' },
		},
		{
			name: 'ground-knows-no-feature',
			severity: 'error',
			from: { path: '^app/(lib|db|mail|jobs|realtime|storage|markdown|ui|shell)/' },
			to: { path: '^app/features/' },
		},
		{ name: 'lib-is-the-bottom', severity: 'error', from: { path: '^app/lib/', pathNot: 'log\\.server' }, to: { path: '^app/(?!lib/)' } },
		{
			name: 'across-features-only-by-the-door',
			severity: 'error',
			from: { path: '^app/features/([^/]+)/' },
			to: { path: '^app/features/([^/]+)/', pathNot: ['^app/features/$1/', '\\.(server|policy|present|limits)\\.ts$', '/components/'] },
		},
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		exclude: { path: '\\.test\\.tsx?$|^\\.react-router' },
		tsConfig: { fileName: 'tsconfig.json' },
		tsPreCompilationDeps: true,
		enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'], extensions: ['.ts', '.tsx', '.mjs', '.js'] },
	},
}
