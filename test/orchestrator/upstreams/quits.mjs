// Exits at once, and says why.
console.error('no licence found');
process.exit(3);
