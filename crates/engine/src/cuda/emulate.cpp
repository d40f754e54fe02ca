// The emulated launch: one number after the other, or one warp of numbers in residues.

static thread_local const Run *work;

static void fiber() {
    u32 me = now;
    run(*work);
    // The threads of a number end in their order; the last one leaves.
    now = (me + 1) % T;
    if (me + 1 < T) setcontext(&fibers[now]);
    setcontext(&outside);
}

extern "C" void emulate(const Run *r, u32 threads) {
    work = r;
    launched = threads;
    std::vector<char> stacks(T > 1 ? T << 17 : 0);
#ifdef CHANNELS
    launched = threads / T;
    u32 units = launched;
#else
    // Threads that only fill a block are left out.
    u32 units = r->members;
#endif
    for (number = 0; number < units; number++) {
        now = 0;
        if (T == 1) {
            run(*work);
            continue;
        }
        for (u32 k = 0; k < T; k++) {
            turn[k] = 0;
#ifdef CHANNELS
            products[k] = 0;
#endif
            getcontext(&fibers[k]);
            fibers[k].uc_stack.ss_sp = &stacks[k << 17];
            fibers[k].uc_stack.ss_size = 1 << 17;
            fibers[k].uc_link = &outside;
            makecontext(&fibers[k], fiber, 0);
        }
        volatile bool started = false;
        getcontext(&outside);
        if (!started) {
            started = true;
            setcontext(&fibers[0]);
        }
    }
}

#ifdef CHANNELS
extern "C" void emulate_enter(const Run *r, u32 threads) {
    for (u32 thread = 0; thread < threads; thread++) number = thread / 128, now = thread % 128, enter(*r);
}

extern "C" void emulate_leave(const Run *r, u32 threads) {
    for (u32 thread = 0; thread < threads; thread++) number = thread / 128, now = thread % 128, leave(*r);
}
#endif
