import type { Config } from '@react-router/dev/config'

export default {
	appDirectory: 'app',
	ssr: true,
	// A build is made beside the one that runs, and takes its place when it is whole.
	buildDirectory: process.env.BUILD_DIRECTORY ?? 'build',
	serverBuildFile: 'main.js',
	routeDiscovery: { mode: 'lazy' },
} satisfies Config
