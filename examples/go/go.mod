module keyhearth.example/go

go 1.19
