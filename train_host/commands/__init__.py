"""`lpdpl-train`: arguments and printing. Open `main` first."""
