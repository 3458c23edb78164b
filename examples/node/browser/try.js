// Stands for a test in a browser: it says what it would try.
console.log(`trying ${process.env.BROWSERS} with ${process.env.REDIS_URL}`);
