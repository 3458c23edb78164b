// Placeholder for a browser test: prints its settings.
console.log(`testing ${process.env.BROWSERS} with ${process.env.REDIS_URL}`);
