npm install ./keyhearth-0.2.0.tgz
npx --no keyhearth start
